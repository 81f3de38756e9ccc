// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension CommandContext {
  /// The sources of the members of a list: arguments and files, then lists. The account's own lists are read from its
  /// repository: complete and current.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened or a text that does not name a list.
  func sources(
    _ members: MemberOptions, naming names: some Collection<String>, as account: AuthorizedAccount
  ) async throws -> [AccountSelection.Source] {
    var sources: [AccountSelection.Source] = []
    let named = try members.files(with: try await workspace.origins(naming: names), in: process)
    if !named.isEmpty { sources.append(.names(TargetStream(origins: named))) }
    for place in members.lists {
      let list = try await workspace.list(named: place, of: account)
      sources.append(workspace.source(of: ListingQuery(.members(of: list)), as: account))
    }
    return sources
  }

  /// The accounts that arguments, files, lists and listings name for a list. Reports what was left out.
  ///
  /// - Throws: what the sources throw.
  func accounts(
    _ members: MemberOptions, naming names: [String], _ sources: AccountSources?,
    excluding excluded: [TargetStream], where predicate: AccountPredicate?, as account: AuthorizedAccount
  ) async throws -> SelectedAccounts {
    var selection = AccountSelection(
      try await self.sources(members, naming: names, as: account), excluding: excluded, where: predicate)
    let listings = try await sources?.queries(self) ?? []
    selection.sources += listings.map { workspace.source(of: $0, as: account) }
    if let people = try await sources?.found(self), !people.isEmpty {
      selection.sources.append(.names(TargetStream(origins: people)))
    }
    let found = try await workspace.accounts(
      of: selection, as: account, skippingInvalid: members.skipInvalid
    ) { [self] in report($0) }
    members.selection.report(found, self, isFiltered: !listings.isEmpty || !members.lists.isEmpty)
    return found
  }

  // MARK: Estimates

  /// Begins the estimate of a change.
  ///
  /// - Parameter parts: what planning the change reads.
  func estimate(
    _ options: ChangeOptions, as account: AuthorizedAccount, reading parts: Set<SubjectFacts.Part>
  ) async throws -> ChangeEstimate {
    try await ChangeEstimate(
      in: workspace, as: account, reading: parts, within: options.points.estimate,
      writesPerCommit: options.points.commitSize
    ) { [self] in report($0) }
  }

  /// Adds a change of each account that arguments, files, lists and listings name to an estimate.
  func add(
    _ members: MemberOptions, _ names: [String], _ sources: AccountSources?,
    excluding excluded: [TargetStream], where predicate: AccountPredicate?, to estimate: inout ChangeEstimate,
    _ change: (DID) -> ChangeIntent
  ) async throws {
    for list in members.lists { try await estimate.addMembers(ofListNamed: list, change) }
    if !names.isEmpty || members.readsFiles {
      let named = TargetStream(
        origins: try members.files(with: try await workspace.origins(naming: names), in: process))
      try await add(named, to: &estimate, skippingInvalid: members.skipInvalid, change)
    }
    for query in try await sources?.queries(self) ?? [] { try await estimate.add(query, change) }
    for finding in try await sources?.findings(self) ?? [] { try await estimate.add(finding, change) }
    for names in excluded { try await estimate.addNames(of: names) }
    if let predicate { estimate.add(predicate) }
  }

  /// Adds a change of each account that is named to an estimate, and says so if there is none.
  func add(
    _ names: TargetStream, to estimate: inout ChangeEstimate, skippingInvalid skipsInvalid: Bool,
    _ change: (DID) -> ChangeIntent
  ) async throws {
    if names.origins.isEmpty { return }
    let count = try await estimate.add(names, skippingInvalid: skipsInvalid, change)
    if count == 0, !common.quiet { report(.noInput("accounts")) }
  }
}
