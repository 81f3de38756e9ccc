// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships
import KithWriting

/// Finds what is left to do after others have answered: follows that were allowed, and requests that have ended.
public struct SyncFriends: Sendable {
  /// The changes: a follow for each accepted request of the kind follow, and the withdrawal of each request that was not
  /// accepted in time.
  public private(set) var requests: [RequestedChange] = []
  /// How many follows were allowed.
  public private(set) var allowed = 0
  /// How many requests have ended.
  public private(set) var ended = 0
  /// How many requests are still open.
  public private(set) var open = 0
  /// Of how many requests it could not be found out what became of them.
  public private(set) var unknown = 0
  /// The failure of a server that left something unknown; nil if there was none.
  public let fault: RelationshipError?

  /// Reads what became of the requests of an account.
  ///
  /// - Throws: `RepositoryError` if the own records cannot be read; `CancellationError`.
  public init(for account: AuthorizedAccount, in workspace: Workspace) async throws {
    self.init(of: try await workspace.friendships().sent(by: account.did))
  }

  /// Finds what is left to do about requests.
  package init(of sent: SentRequests) {
    fault = sent.fault
    for (request, friendship) in sent.requests {
      let name = request.subject.description
      switch friendship.asked {
      case .accepted(let request, _) where request.kind == .follow && friendship.isBlocked == false:
        allowed += 1
        requests.append(RequestedChange(name, .success(.follow(request.subject))))
      case .expired:
        ended += 1
        requests.append(RequestedChange(name, .success(.friends(.cancel(request.subject)))))
      case .open: open += 1
      case .unknown: unknown += 1
      case .none, .accepted: break
      }
    }
  }
}
