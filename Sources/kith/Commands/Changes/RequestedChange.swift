// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// One requested change.
struct RequestedChange: Sendable {
  /// The name as typed or read from a file.
  let input: String
  /// The change, or why the name is unusable.
  let change: Result<ChangeIntent, CommandFault>
  /// Whether its account is known to exist, for example because a server has just returned it.
  var isResolved = true
  /// Whether the account comes from a listing, which has applied the filter already.
  var isFiltered = false

  /// The request to the engine; nil if the name is unusable.
  var named: ChangePlan.Request? {
    (try? change.get()).map { ChangePlan.Request(input, $0, isResolved: isResolved) }
  }
}

/// The accounts found for names.
struct FoundAccounts: Sendable {
  fileprivate let handles: [Handle: Result<DID, IdentityError>]

  /// The account of a name, or why it was not found.
  subscript(name: RelationshipQuestion.Target) -> Result<DID, CommandFault> {
    switch name {
    case .did(let did): .success(did)
    case .handle(let handle):
      handles[handle]?.mapError(CommandFault.init)
        ?? .failure(CommandFault(.unavailable, .unresolvedHandle(handle)))
    case .unreadable(let error): .failure(CommandFault(.badInput, Message(error)))
    }
  }
}

extension Wiring {
  /// Resolves names to accounts.
  ///
  /// - Parameter account: its server resolves handles if the AppView is down.
  /// - Throws: `CancellationError`.
  func find(
    _ names: some Sequence<RelationshipQuestion.Target>, as account: AuthorizedAccount
  ) async throws -> FoundAccounts {
    let handles = names.compactMap { name in if case .handle(let handle) = name { handle } else { nil } }
    return FoundAccounts(
      handles: handles.isEmpty ? [:] : try await identities.dids(of: handles, orBy: account.pds))
  }

  /// Resolves names to accounts, with a change of each.
  ///
  /// - Parameters:
  ///   - account: its server resolves handles if the AppView is down.
  ///   - change: the change of an account.
  /// - Throws: `CancellationError`.
  func requests(
    _ roll: ChangeTargets, of account: AuthorizedAccount, _ change: (DID) -> ChangeIntent
  ) async throws -> [RequestedChange] {
    let found = try await find(roll.questions.map(\.target), as: account)
    return roll.questions.map { question in
      RequestedChange(
        input: question.name, change: found[question.target].map(change),
        isResolved: question.target.isHandle, isFiltered: question.input == nil && question.view != nil)
    }
  }
}

extension Wiring {
  /// The changes without those of the accounts that a roll names.
  ///
  /// - Throws: ``CommandFault`` where a handle of the roll could not be looked up: its account might be changed.
  func without(
    _ roll: ChangeTargets, _ requests: [RequestedChange], as account: AuthorizedAccount
  ) async throws -> [RequestedChange] {
    let found = try await find(roll.questions.map(\.target), as: account)
    var excluded: Set<DID> = []
    for question in roll.questions {
      switch found[question.target] {
      case .success(let did): excluded.insert(did)
      case .failure(let fault) where fault.status == .notFound:
        // A misspelt name protects no account; the person has to see that.
        StandardError.say(.excludedUnknown(question.name))
      case .failure(let fault): throw fault
      }
    }
    return requests.filter { request in
      guard let account = (try? request.change.get())?.account else { return true }
      return !excluded.contains(account)
    }
  }

  /// The accounts of a listing that match a predicate of a change.
  ///
  /// If it is a listing of the account that makes the changes, these are the accounts that the listing of the
  /// same name shows for the same predicate. For all others, the predicate is about the account that makes the
  /// changes.
  /// - Throws: as ``accounts(of:with:from:most:remembering:)``.
  func accounts(
    of request: ListingRequest, matching predicate: AccountPredicate?, for account: AuthorizedAccount
  ) async throws -> AccountListing {
    guard let predicate else { return try await accounts(of: request) }
    if account.isNamed(request.listing.actor) {
      return try await accounts(of: request.narrowed(to: predicate), with: request.listing.ownDetails)
    }
    let muter = try await owner(ofMutesIn: predicate, of: .did(account.did))
    return listings(by: appview, as: account.did, mutesOf: muter).accounts(
      among: try await accounts(of: request), of: .did(account.did), where: predicate)
  }

  /// The changes of accounts that match a predicate, and of those that come from a filtered listing.
  ///
  /// Accounts for which the predicate cannot be evaluated, such as by the name of a deleted account, are left
  /// out.
  /// - Throws: ``CommandFault`` if a lookup fails; errors of ``Listings``.
  func narrowed(
    _ requests: [RequestedChange], to predicate: AccountPredicate, of account: AuthorizedAccount
  ) async throws -> [RequestedChange] {
    let accounts = requests.filter { !$0.isFiltered }.compactMap { (try? $0.change.get())?.account }
    if accounts.isEmpty { return requests }
    var wanted: Set<DID> = []
    let muter = try await owner(ofMutesIn: predicate, of: .did(account.did))
    var iterator = listings(by: appview, as: account.did, mutesOf: muter)
      .accounts(among: accounts, of: .did(account.did), where: predicate).makeAsyncIterator()
    while let view = try await iterator.next() { wanted.insert(view.account) }
    let coverage = iterator.coverage
    if coverage.unseen > 0 { StandardError.say(.targetsUnseen(coverage.unseen)) }
    if coverage.undecided > 0 {
      let cause = coverage.fault.flatMap { CommandFault($0) }
      let message = Message.predicateUndecided(coverage.undecided, cause?.said)
      if let cause { throw CommandFault(cause.status, message) }
      StandardError.say(message)
    }
    return requests.filter { request in
      guard !request.isFiltered, let account = (try? request.change.get())?.account else { return true }
      return wanted.contains(account)
    }
  }
}

extension RelationshipQuestion.Target {
  var isHandle: Bool { if case .handle = self { true } else { false } }
}

extension RelationshipQuestion {
  /// The name as typed, the handle in a listing, or the account itself.
  fileprivate var name: String {
    if let input { return input }
    if let handle = view?.handle, !handle.isInvalid { return handle.description }
    return switch target {
    case .did(let did): did.description
    case .handle(let handle): handle.description
    case .unreadable: ""
    }
  }
}
