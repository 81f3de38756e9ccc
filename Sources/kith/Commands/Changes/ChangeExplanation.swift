// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithStore
import KithWriting

/// Estimates the cost of a change from names and counts alone.
struct ChangeExplanation {
  /// The number of listings added so far.
  private var listings = 0
  private let context: CommandContext
  private let options: ChangeOptions
  private let account: AuthorizedAccount
  /// The account's own lists, as the AppView counts them.
  private let lists: [ListSummary]
  private var counts: ChangeCost.Counts
  private var plan = CostPlan()
  private var changes: [ChangeIntent] = []
  /// Accounts named by DID, which are looked up before records refer to them.
  private var named: Set<DID> = []
  private var assumptions: CostPlan.Assumptions = []

  /// Reads the counts that limit the cost.
  ///
  /// - Parameter parts: what planning the change reads.
  /// - Throws: `RelationshipError` if the AppView does not answer; `CancellationError`.
  init(
    _ context: CommandContext, _ options: ChangeOptions, as account: AuthorizedAccount,
    reading parts: Set<SubjectFacts.Part>
  ) async throws {
    (self.context, self.options, self.account) = (context, options, account)
    counts = ChangeCost.Counts()
    if parts.contains(.edges(.follow)) {
      let own = ActorListing.follows(of: .did(account.did))
      counts.follows = try await NetworkCounts(client: account.appview).entries(of: [own])[0]
    }
    var lists: [ListSummary] = []
    if parts.contains(.lists) {
      for try await list in Listings(account.appview).lists(of: .did(account.did)) { lists.append(list) }
      counts.lists = lists.count
      counts.listItems = lists.reduce(into: Int?(0)) { sum, list in
        sum = sum.flatMap { sum in list.members.map { sum + min($0, NetworkCounts.mostEntries) } }
      }
      counts.deletedItems = Dictionary(lists.compactMap { list in list.members.map { (list.uri, $0) } }) {
        first, _ in first
      }
    }
    self.lists = lists
  }

  // MARK: Changes

  mutating func add(_ change: ChangeIntent) { changes.append(change) }

  /// Adds a change of each account that is named.
  ///
  /// - Throws: ``CommandFault`` if a name is not valid.
  mutating func add(
    _ names: TargetStream, skippingInvalid skipsInvalid: Bool, _ change: (DID) -> ChangeIntent
  ) async throws {
    if names.origins.isEmpty { return }
    let found = try await SelectedAccounts(named: names)
    try found.report(skippingInvalid: skipsInvalid) { context.say($0) }
    if found.members.isEmpty, !context.common.quiet { context.say(.noInput("accounts")) }
    var handles = 0
    for member in found.members {
      switch member.target {
      case .did(let did):
        let change = change(did)
        if change.makesEdge, did != account.did { named.insert(did) }
        changes.append(change)
      case .handle(let handle):
        handles += 1
        if let standIn = Self.standIn(handle) { changes.append(change(standIn)) }
      case .unreadable: break
      }
    }
    if handles > 0 { assumptions.insert(.existence) }
    plan.addHandles(handles)
  }

  /// Counts in the lookups of names that are not changed.
  ///
  /// - Throws: ``CommandFault`` if a name is not valid.
  mutating func addNames(of names: TargetStream) async throws {
    let found = try await SelectedAccounts(named: names)
    try found.report(skippingInvalid: false) { context.say($0) }
    plan.addHandles(found.members.count(where: \.isResolved))
  }

  /// Counts a change of each actor in that arguments, files and lists name.
  mutating func add(
    _ members: MemberOptions, _ names: [String], _ change: (DID) -> ChangeIntent
  ) async throws {
    for place in members.lists {
      try addNaming(of: place)
      let list = try await context.workspace.list(named: place, of: account)
      if list.authority == .did(account.did) {
        plan.addRecords(.listitem, count: counts.listItems)
        try addMembers(of: list, count: counts.deletedItems[list], areNamed: true, change)
      } else {
        try await addMembers(listedBy: list, areNamed: true, change)
      }
    }
    if !names.isEmpty || members.readsFiles {
      try await add(
        TargetStream(origins: try members.files(with: try await context.workspace.origins(naming: names))),
        skippingInvalid: members.skipInvalid, change)
    }
  }

  /// Adds a change of each member that the AppView shows on a list.
  ///
  /// - Parameter areNamed: whether members are looked up like named accounts.
  mutating func addMembers(
    listedBy list: ATURI, areNamed: Bool = false, _ change: (DID) -> ChangeIntent
  ) async throws {
    let count = try await addListing(ListingQuery(.members(of: list)))
    try addMembers(of: list, count: count, areNamed: areNamed, change)
  }

  /// Adds a change of each account in a listing, by the count of the AppView.
  mutating func add(_ query: ListingQuery, _ change: (DID) -> ChangeIntent) async throws {
    let count = try await addListing(query)
    listings += 1
    try addAccounts(count: count, namedAfter: "listing-\(listings)", areNamed: true, change) {
      .membersUnknown("\(query.listing.method)")
    }
  }

  /// Adds the cost of evaluating a predicate on the accounts.
  mutating func add(_ predicate: AccountPredicate) {
    plan.addQuestions(about: changes.count, needs: predicate.needs)
    assumptions.insert(.facts)
  }

  /// Adds the cost of finding the members of a list that are followed.
  mutating func addReach(of list: ATURI) async throws {
    let members = try await addListing(ListingQuery(.members(of: list)))
    plan.addOwnRecords([(.follow, count: counts.follows)])
    plan.add(
      "app.bsky.graph.getRelationships", calls: ((members ?? ListReach.mostMembers) + 29) / 30,
      payload: 3_000,
      assuming: .facts)
  }

  private mutating func addListing(_ query: ListingQuery) async throws -> Int? {
    let count = try await NetworkCounts(client: account.appview).entries(of: [query.listing])[0]
    plan.addListing(
      query.listing, entries: count, needs: query.predicate?.needs ?? AccountPredicate.Needs())
    return count
  }

  /// Several times the size of the longest lists.
  private static let mostMembers = 500_000

  private mutating func addMembers(
    of list: ATURI, count: Int?, areNamed: Bool, _ change: (DID) -> ChangeIntent
  ) throws(CommandFault) {
    let name = list.recordKey?.description.lowercased() ?? ""
    try addAccounts(count: count, namedAfter: name, areNamed: areNamed, change) {
      .membersUnknown(list.description)
    }
  }

  /// - Parameters:
  ///   - name: distinguishes the placeholders of this listing from others.
  ///   - unknown: the message if the count is unknown.
  private mutating func addAccounts(
    count: Int?, namedAfter name: String, areNamed: Bool, _ change: (DID) -> ChangeIntent,
    orElse unknown: () -> Message
  ) throws(CommandFault) {
    // Without a count there is no estimate: each account is added individually here.
    guard let count, 0...Self.mostMembers ~= count else { throw CommandFault(.notFound, unknown()) }
    assumptions.insert(.counts)
    for number in 0..<count {
      if let standIn = DID("did:web:\(name)-\(number).invalid") {
        let change = change(standIn)
        if areNamed, change.makesEdge { named.insert(standIn) }
        changes.append(change)
      }
    }
  }

  /// A placeholder for an account whose DID is not known yet: only the number of accounts matters.
  private static func standIn(_ handle: Handle) -> DID? { DID("did:web:\(handle)") }

  // MARK: Names

  /// Adds the cost of resolving an account.
  ///
  /// - Returns: the account, or a placeholder.
  mutating func addAccount(_ actor: ATIdentifier) -> DID? {
    switch actor {
    case .did(let did): return did
    case .handle(let handle):
      plan.addHandles(1)
      assumptions.insert(.existence)
      return Self.standIn(handle)
    }
  }

  /// Adds one call of a procedure.
  mutating func addCall(_ name: String) { plan.add(name, calls: 1, payload: 1_000) }

  /// Adds the cost of resolving the name of a list.
  ///
  /// - Returns: the list, or a placeholder if it can only be resolved over the network.
  /// - Throws: `InputError` for a text that names something else.
  @discardableResult
  mutating func addNaming(of text: String) throws(InputError) -> ATURI {
    let unknown = OwnList.uri(RecordKey(tid: TIDClock(time: context.time).next()), of: account.did)
    guard let input = try RecordInput(parsing: text) else {
      plan.addRecords(.list, count: counts.lists)
      return lists.first { $0.name == text }?.uri ?? unknown
    }
    if case .handle = input.owner { plan.addHandles(1) }
    if input.kind == .starterPack {
      addRecord(of: .starterpack)
      return unknown
    }
    switch input.owner {
    case .did(let owner): return input.uri(ownedBy: owner)
    case .handle(let handle): return Self.standIn(handle).map(input.uri) ?? unknown
    }
  }

  /// Adds the cost of reading a record of any account: DID document, handle, record.
  mutating func addRecord(of collection: NSID) {
    plan.add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .existence)
    plan.add(
      "app.bsky.actor.getProfiles", calls: 1, payload: 900, assuming: [.existence, .facts])
    plan.add("com.atproto.repo.getRecord", of: collection, calls: 1, payload: 300, assuming: .existence)
  }

  /// Adds a listing of the account's own lists.
  mutating func addOwnLists() { plan.addRecords(.list, count: counts.lists) }

  // MARK: Plan

  /// Prints the plan.
  func print() async throws {
    var plan = plan
    let cost = ChangeCost(
      of: changes, by: account.did, counts: counts, writesPerCommit: options.points.commitSize,
      assuming: assumptions)
    let store = try context.workspace.jobStoreToRead()
    plan.targets = max(1, changes.count)
    if !named.isEmpty { plan.addHandles(named.count) }
    cost.add(to: &plan, wait: try await wait(toSpend: cost.points, store))
    try context.print(plan)
  }

  private func wait(toSpend points: Int, _ store: any JobStore) async throws -> Duration? {
    try await JobManager(journal: store, time: context.time).time(
      toSpend: points, by: account.did, within: options.points.estimate)
  }
}
