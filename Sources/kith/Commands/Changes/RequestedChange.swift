// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipWriting
import Relationships

/// One change that somebody requests for, as it was named.
struct RequestedChange: Sendable {
  /// What was typed, or stood in a file.
  let input: String
  /// What is wanted; or why nothing can be done about that name.
  let change: Result<ChangeIntent, CommandFault>
  /// Whether its account is known to exist, as one is that a server has just named.
  var isResolved = true
}

extension Wiring {
  /// Finds out whom the names mean.
  ///
  /// - Parameters:
  ///   - account: whose server is asked where the AppView is down.
  ///   - change: what is wanted of an account.
  /// - Throws: `CancellationError`.
  func requests(
    _ roll: ActorRoll, of account: AuthorizedAccount, _ change: (DID) -> ChangeIntent
  ) async throws -> [RequestedChange] {
    let handles = roll.questions.compactMap { question -> Handle? in
      if case .handle(let handle) = question.target { handle } else { nil }
    }
    let dids = handles.isEmpty ? [:] : try await identities.dids(of: handles, orBy: account.pds)
    return roll.questions.map { question in
      let did: Result<DID, CommandFault> =
        switch question.target {
        case .did(let did): .success(did)
        case .handle(let handle):
          dids[handle]?.mapError(CommandFault.init)
            ?? .failure(CommandFault(.unavailable, .unresolvedHandle(handle)))
        case .unreadable(let error): .failure(CommandFault(.badInput, Message(error)))
        }
      return RequestedChange(
        input: question.name, change: did.map(change), isResolved: question.namesHandle)
    }
  }
}

extension RelationshipQuestion {
  fileprivate var namesHandle: Bool { if case .handle = target { true } else { false } }

  /// As it was typed, or the account itself.
  fileprivate var name: String {
    if let input { return input }
    return switch target {
    case .did(let did): did.description
    case .handle(let handle): handle.description
    case .unreadable: ""
    }
  }
}
