// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships

extension Workspace {
  /// Where the accounts of a listing come from: for an own list, from its repository, which also has the members that
  /// the AppView leaves out; those are the ones that people want to remove.
  public func source(of query: ListingQuery, as account: AuthorizedAccount?) -> AccountSelection.Source {
    guard let account, case .members(let list) = query.listing, query.predicate == nil,
      list.authority == .did(account.did)
    else { return .listing(query) }
    return .members(of: list, RecordReader(of: account.did, client: account.repository))
  }

  /// Checks that the own lists exist whose members were read, because a list that is gone looks like an empty one.
  ///
  /// - Throws: ``OperationError`` `noSuchList`; errors of the account's server.
  func checkLists(of sources: [AccountSelection.Source], ownedBy account: AuthorizedAccount) async throws {
    let lists = sources.compactMap { source in if case .members(let list, _) = source { list } else { nil } }
    if lists.isEmpty { return }
    let known = try await ownLists(of: account)
    if let absent = lists.first(where: { known[$0] == nil }) {
      throw OperationError.noSuchList(absent, isOwn: true)
    }
  }

  /// All accounts of a selection. Reports what was left out, and why.
  ///
  /// - Throws: ``OperationError`` `invalidNames` if a name is not valid, unless those are to be skipped, and
  ///   `predicateUndecided` if a predicate could not be evaluated because of an error; what the sources throw.
  public func accounts(
    of selection: AccountSelection, as account: AuthorizedAccount? = nil,
    skippingInvalid skipsInvalid: Bool = false, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> SelectedAccounts {
    let unreadable = UnreadableRecords(.member, note)
    let found = try await selector(for: account).accounts(of: selection, skippingInvalid: skipsInvalid) {
      event in
      switch event {
      case .listed(let listing, let coverage):
        note(.listed(ListingReport(listing, coverage, owner: account?.handle(in: listing))))
      case .unreadable(let record): unreadable.add(record)
      }
    }
    unreadable.finish()
    try found.report(skippingInvalid: skipsInvalid, note)
    if found.countBefore == 0, let account { try await checkLists(of: selection.sources, ownedBy: account) }
    return found
  }
}

extension SelectedAccounts {
  /// Reports what a selection has left out.
  ///
  /// - Throws: ``OperationError`` `invalidNames` if names are not valid and not to be skipped, and `predicateUndecided`.
  public func report(skippingInvalid skipsInvalid: Bool, _ note: (Note) -> Void) throws(OperationError) {
    try report(invalid, areSkipped: skipsInvalid, note)
    try report(invalidExclusions, areSkipped: false, note)
    for name in unknownExclusions { note(.excludedUnknown(name)) }
    if matching.unseen > 0 { note(.targetsUnseen(matching.unseen)) }
    if matching.undecided > 0 {
      if let cause = matching.fault, let kind = FailureKind(cause) {
        throw .predicateUndecided(matching.undecided, kind, cause)
      }
      note(.predicateUndecided(matching.undecided))
    }
    if repetitions > 0 { note(.repetitions(repetitions)) }
  }

  private func report(_ invalid: Invalid, areSkipped: Bool, _ note: (Note) -> Void) throws(OperationError) {
    if invalid.count == 0 { return }
    for complaint in invalid.first.compactMap(\.complaint) {
      note(.invalidName(complaint, isSkipped: areSkipped))
    }
    guard areSkipped else {
      throw .invalidNames(invalid.count, unnamed: invalid.count - invalid.first.count)
    }
    note(.namesSkipped(invalid.count))
  }

  /// How many accounts there were before any were left out.
  public var countBefore: Int { members.count + excluded + unmatched }
}

extension RelationshipQuestion {
  /// What is wrong with it as the name of an account to change; nil if nothing is.
  public var complaint: NameComplaint? {
    if case .unreadable(let error) = target { return .invalid(error) }
    return isSelectable ? nil : input.map { .isAList($0) }
  }
}

extension OperationError {
  /// - Parameter unnamed: how many of them were not reported individually.
  package static func invalidNames(_ count: Int, unnamed: Int) -> OperationError {
    let unshown = unnamed > 0 ? " (\(unnamed) of them not shown above)" : ""
    return OperationError(
      .invalidNames, .invalidInput,
      "\(count) name\(count == 1 ? " is" : "s are") not valid\(unshown); nothing was changed",
      ["count": .integer(count), "unnamed": .integer(unnamed)])
  }

  package static func predicateUndecided(
    _ count: Int, _ kind: FailureKind, _ cause: any Error
  ) -> OperationError {
    OperationError(
      .predicateUndecided, kind, "",
      "could not evaluate the predicate for \(count) account\(count == 1 ? "" : "s")",
      ["count": .integer(count)], underlying: cause)
  }
}
