// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
package import KithRelationships
package import KithWriting

/// What a change would cost, from names and counts alone: at most the sizes of lists and listings are read.
///
/// Accounts whose DID is not known count by their number. Add what is asked for, then read the `plan()`.
public struct ChangeEstimate {
  /// Where it reads.
  package let workspace: Workspace
  /// The account whose relationships change.
  package let account: AuthorizedAccount
  /// The limit of the write budget.
  package var limit: WriteLimit
  private let writesPerCommit: Int
  /// Receives what is wrong with the names.
  package let note: @Sendable (Note) -> Void
  /// What was read.
  private var parts: Set<SubjectFacts.Part> = []
  /// The account's own lists, as the AppView counts them.
  private var lists: [ListSummary] = []
  private var counts = ChangeCost.Counts()
  /// What was added so far.
  package var costs = CostPlan()
  private var changes: [ChangeIntent] = []
  private var counted: [CountedChanges] = []
  /// Accounts named by DID, which are looked up before records refer to them.
  private var named: Set<DID> = []
  /// Further accounts that are looked up.
  private var namedByCount = 0
  private var assumptions: CostPlan.Assumptions = []
  /// Whether only some of the changes may be left.
  private var isFiltered = false

  /// Creates an empty estimate.
  ///
  /// - Parameters:
  ///   - limit: the limit of the write budget.
  ///   - note: receives what is wrong with the names.
  package init(
    in workspace: Workspace, as account: AuthorizedAccount, within limit: WriteLimit = WriteLimit(),
    writesPerCommit: Int = RecordWrite.mostPerCommit, _ note: @escaping @Sendable (Note) -> Void = { _ in }
  ) {
    (self.workspace, self.account, self.limit) = (workspace, account, limit)
    (self.writesPerCommit, self.note) = (writesPerCommit, note)
  }

  /// Reads the counts that limit the cost of planning, each once.
  ///
  /// - Parameter parts: what planning the change reads.
  /// - Throws: `RelationshipError` if the AppView does not answer; `CancellationError`.
  package mutating func read(_ parts: Set<SubjectFacts.Part>) async throws {
    let parts = parts.subtracting(self.parts)
    self.parts.formUnion(parts)
    if parts.contains(.edges(.follow)) {
      let own = ActorListing.follows(of: .did(account.did))
      counts.follows = try await NetworkCounts(client: account.appview).entries(of: [own])[0]
    }
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
  }

  // MARK: Changes

  package mutating func add(_ change: ChangeIntent) { changes.append(change) }

  /// Adds a change of an account that is named by its DID, which is looked up before a record refers to it.
  mutating func addNamed(_ change: ChangeIntent) {
    if change.makesEdge, let named = change.account, named != account.did { self.named.insert(named) }
    changes.append(change)
  }

  /// Adds a change of each account that is named.
  ///
  /// - Returns: how many there are.
  /// - Throws: ``OperationError`` `invalidNames`, unless those are to be skipped.
  @discardableResult
  package mutating func add(
    _ names: TargetStream, skippingInvalid skipsInvalid: Bool, _ change: (DID) -> ChangeIntent
  ) async throws -> Int {
    let found = try await SelectedAccounts(named: names)
    try found.report(skippingInvalid: skipsInvalid, note)
    var unresolved = 0
    for member in found.members {
      switch member.target {
      case .did(let did):
        addNamed(change(did))
      case .handle: unresolved += 1
      case .unreadable: break
      }
    }
    addHandles(unresolved, change)
    return found.members.count
  }

  /// Adds a change of each account that is only known by its handle.
  package mutating func addHandles(_ count: Int, _ change: (DID) -> ChangeIntent) {
    addNames(count)
    addCounted(count, change)
  }

  /// Adds changes of accounts that are only known by their handle, each as if it were about the account itself.
  mutating func addUnresolved(_ changes: [ChangeIntent]) {
    addNames(changes.count)
    counted += changes.map { CountedChanges(like: $0, count: 1) }
  }

  /// Counts in the lookups of names that are not changed.
  ///
  /// - Throws: ``OperationError`` `invalidNames`.
  package mutating func addNames(of names: TargetStream) async throws {
    let found = try await SelectedAccounts(named: names)
    try found.report(skippingInvalid: false, note)
    costs.addHandles(found.members.count(where: \.isResolved))
  }

  /// Adds a change of each member of a list that is named.
  ///
  /// - Throws: ``OperationError`` for a text that names no list, and `membersUnknown`.
  package mutating func addMembers(ofListNamed name: String, _ change: (DID) -> ChangeIntent) async throws {
    try await addNaming(of: name)
    let list = try await workspace.list(named: name, of: account)
    if list.authority == .did(account.did) {
      try await read([.lists])
      costs.addRecords(.listitem, count: counts.listItems)
      try add(counts.deletedItems[list], of: "\(list)", areNamed: true, change)
    } else {
      try await addMembers(listedBy: list, areNamed: true, change)
    }
  }

  /// Adds a change of each member that the AppView shows on a list.
  ///
  /// - Parameter areNamed: whether members are looked up like named accounts.
  /// - Throws: ``OperationError`` `membersUnknown`.
  package mutating func addMembers(
    listedBy list: ATURI, areNamed: Bool = false, _ change: (DID) -> ChangeIntent
  ) async throws {
    let count = try await addListing(ListingQuery(.members(of: list)))
    try add(count, of: "\(list)", areNamed: areNamed, change)
  }

  /// Adds a change of each account in a listing, by the count of the AppView.
  ///
  /// - Throws: ``OperationError`` `membersUnknown`.
  package mutating func add(_ query: ListingQuery, _ change: (DID) -> ChangeIntent) async throws {
    let count = try await addListing(query)
    try add(count, of: "\(query.listing.method)", areNamed: true, change)
  }

  /// Adds the cost of evaluating a predicate on the accounts.
  package mutating func add(_ predicate: AccountPredicate) {
    costs.addQuestions(about: count, needs: predicate.needs, from: .named(follows: counts.follows))
    isFiltered = true
    assumptions.insert(.facts)
  }

  /// Adds the cost of finding the members of a list that are followed.
  package mutating func addReach(of list: ATURI) async throws {
    let members = try await addListing(ListingQuery(.members(of: list)))
    costs.addOwnRecords([(.follow, count: counts.follows)])
    costs.add(
      "app.bsky.graph.getRelationships", calls: ((members ?? ListReach.mostMembers) + 29) / 30,
      payload: 3_000,
      assuming: .facts)
  }

  /// Adds the count of a list's members.
  package mutating func addMemberCount(of list: ATURI) {
    guard list.isList else { return }
    costs.add("app.bsky.graph.getList", calls: 1, payload: 1_000, assuming: .existence)
  }

  /// Adds the changes of another estimate in another form, such as the same follows in another graph. The names are
  /// looked up once.
  package mutating func addChanges(of other: ChangeEstimate, as form: (ChangeIntent) -> ChangeIntent) {
    changes += other.changes.map(form)
    counted += other.counted.map { CountedChanges(like: form($0.example), count: $0.count) }
  }

  /// How many changes were added.
  package var count: Int { counted.reduce(changes.count) { $0 + $1.count } }

  private mutating func addListing(_ query: ListingQuery) async throws -> Int? {
    let count = try await NetworkCounts(client: account.appview).entries(of: [query.listing])[0]
    costs.addListing(
      query.listing, entries: count, needs: query.predicate?.needs ?? AccountPredicate.Needs())
    return count
  }

  private mutating func add(
    _ count: Int?, of listing: String, areNamed: Bool, _ change: (DID) -> ChangeIntent
  ) throws(OperationError) {
    guard let count else { throw .membersUnknown(listing) }
    assumptions.insert(.counts)
    addCounted(count, change)
    if areNamed, change(account.did).makesEdge { namedByCount += count }
  }

  /// Adds the cost of finding people, and a change of each of them.
  package mutating func add(_ finding: FindPeople, _ change: (DID) -> ChangeIntent) async throws {
    costs = costs + (try await finding.cost(in: workspace) { _ in })
    addCounted(finding.limit, change)
    assumptions.insert(.facts)
  }

  /// Adds changes of accounts that are not known yet.
  package mutating func addCounted(_ count: Int, _ change: (DID) -> ChangeIntent) {
    if count > 0 { counted.append(CountedChanges(like: change(account.did), count: count)) }
  }

  /// Adds changes of which it is not even known how many there are.
  package mutating func addUnknownChanges() {
    costs.add("com.atproto.repo.applyWrites", calls: nil, assuming: .counts)
  }

  // MARK: Names

  /// Adds the cost of resolving accounts that are named by their handles.
  mutating func addNames(_ count: Int) {
    costs.addHandles(count)
    if count > 0 { assumptions.insert(.existence) }
  }

  /// Adds a change of one account, and the cost of resolving it.
  package mutating func add(_ actor: ATIdentifier, _ change: (DID) -> ChangeIntent) {
    switch actor {
    case .did(let did): changes.append(change(did))
    case .handle: addHandles(1, change)
    }
  }

  /// Adds the cost of resolving an account.
  package mutating func addName(_ actor: ATIdentifier) {
    if case .handle = actor { addNames(1) }
  }

  /// Adds calls of a method.
  package mutating func addCalls(_ name: String, _ count: Int = 1) {
    if count > 0 { costs.add(name, calls: count, payload: count * 1_000) }
  }

  /// Adds the cost of resolving the name of a list.
  ///
  /// - Returns: the list; for a name that only the repository knows, a new list of the account in its place.
  /// - Throws: `InputError` for a text that names something else; errors of looking up its owner.
  @discardableResult
  package mutating func addNaming(of text: String) async throws -> ATURI {
    guard let input = try RecordInput(parsing: text) else {
      try await read([.lists])
      costs.addRecords(.list, count: counts.lists)
      return lists.first { $0.name == text }?.uri ?? workspace.newList(of: account)
    }
    if case .handle = input.owner { costs.addHandles(1) }
    if input.kind == .starterPack {
      addRecord(of: .starterpack)
      return workspace.newList(of: account)
    }
    return input.uri(ownedBy: try await workspace.identities.did(of: input.owner))
  }

  /// Adds the cost of reading a record of any account: DID document, handle, record.
  package mutating func addRecord(of collection: NSID) {
    costs.add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .existence)
    costs.add(
      "app.bsky.actor.getProfiles", calls: 1, payload: 900, assuming: [.existence, .facts])
    costs.add("com.atproto.repo.getRecord", of: collection, calls: 1, payload: 300, assuming: .existence)
  }

  /// Adds a listing of the account's own lists.
  package mutating func addOwnLists() { costs.addRecords(.list, count: counts.lists) }

  // MARK: Plan

  /// The cost of everything that was added, with the wait for the write budget.
  ///
  /// - Throws: errors of the store of jobs.
  package func plan() async throws -> CostPlan {
    var plan = costs
    let cost = ChangeCost(
      of: changes, and: counted, atMost: isFiltered, by: account.did, counts: counts,
      writesPerCommit: writesPerCommit,
      assuming: assumptions)
    plan.targets = max(1, cost.count)
    plan.addHandles(named.count + namedByCount)
    let budget = JobManager(journal: try workspace.jobStoreToRead(), time: workspace.time)
    let wait = try await budget.time(
      toSpend: cost.points, changes: cost.count, of: cost.kinds, by: account.did, within: limit)
    cost.add(to: &plan, wait: wait)
    return plan
  }
}
