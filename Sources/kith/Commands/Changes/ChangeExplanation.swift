// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipStore
import RelationshipWriting
import Relationships

/// Adds up what a command that changes something would cost, from names and counts alone.
struct ChangeExplanation {
  /// Listings that were counted in.
  private var listings = 0
  private let wiring: Wiring
  private let options: ChangeOptions
  private let account: AuthorizedAccount
  /// The account's own lists, as the AppView counts them.
  private let lists: [ListSummary]
  private var counts: ChangeCost.Counts
  private var plan = CostPlan()
  private var changes: [ChangeIntent] = []
  /// Accounts that no handle leads to, and that are looked up before records point to them.
  private var named: Set<DID> = []
  private var assumptions: CostPlan.Assumptions = []

  /// Reads the counts that bound the cost.
  ///
  /// - Parameter parts: what planning the change reads.
  /// - Throws: `RelationshipError` where the AppView does not tell; `CancellationError`.
  init(
    _ wiring: Wiring, _ options: ChangeOptions, as account: AuthorizedAccount,
    reading parts: SubjectFacts.Parts
  ) async throws {
    (self.wiring, self.options, self.account) = (wiring, options, account)
    counts = ChangeCost.Counts()
    if parts.contains(.follows) {
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

  // MARK: What is to change

  mutating func add(_ change: ChangeIntent) { changes.append(change) }

  /// Counts a change of each actor in.
  mutating func add(_ roll: ActorRoll, _ change: (DID) -> ChangeIntent) {
    var handles = 0
    for question in roll.questions {
      switch question.target {
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
  mutating func addNames(of roll: ActorRoll) { plan.addHandles(roll.questions.count { $0.target.isHandle }) }

  /// Counts a change of each actor in that arguments, files and lists name.
  mutating func add(
    _ members: MemberOptions, _ names: [String], _ change: (DID) -> ChangeIntent
  ) async throws {
    for place in members.lists {
      try addNaming(of: place)
      let list = try await wiring.list(named: place, of: account)
      if list.authority == .did(account.did) {
        plan.addRecords(.listitem, count: counts.listItems)
        try addMembers(of: list, count: counts.deletedItems[list], areNamed: true, change)
      } else {
        try await addMembers(listedBy: list, areNamed: true, change)
      }
    }
    if !names.isEmpty || members.readsFiles {
      add(
        try await wiring.common.roll(
          of: try members.files(with: try await wiring.origins(naming: names)),
          skippingInvalid: members.skipInvalid), change)
    }
  }

  /// Counts a change of each member in that an AppView shows on a list.
  ///
  /// - Parameter areNamed: whether they are taken from the list as names are, and looked up as those are.
  mutating func addMembers(
    listedBy list: ATURI, areNamed: Bool = false, _ change: (DID) -> ChangeIntent
  ) async throws {
    let count = try await addListing(ListingRequest(listing: .members(of: list)))
    try addMembers(of: list, count: count, areNamed: areNamed, change)
  }

  /// Counts a change of each account in that a listing brings, by the count of an AppView.
  mutating func add(_ request: ListingRequest, _ change: (DID) -> ChangeIntent) async throws {
    let count = try await addListing(request)
    listings += 1
    try addAccounts(count: count, namedAfter: "listing-\(listings)", areNamed: true, change) {
      .membersUnknown("\(request.listing.method)")
    }
  }

  /// Counts in what it takes to narrow the changes to those accounts for whom a predicate holds.
  mutating func add(_ predicate: AccountPredicate) {
    plan.addQuestions(about: changes.count, needs: predicate.needs)
    assumptions.insert(.facts)
  }

  private mutating func addListing(_ request: ListingRequest) async throws -> Int? {
    let count = try await NetworkCounts(client: account.appview).entries(of: [request.listing])[0]
    plan.addListing(
      request.listing, entries: count, needs: request.predicate?.needs ?? AccountPredicate.Needs())
    return count
  }

  /// Several times as many as the longest lists have.
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
  ///   - name: tells those who stand in for them from those of others.
  ///   - unknown: what is said where nobody counts them.
  private mutating func addAccounts(
    count: Int?, namedAfter name: String, areNamed: Bool, _ change: (DID) -> ChangeIntent,
    orElse unknown: () -> Message
  ) throws(CommandFault) {
    // One of which nobody could tell: each counts on its own here.
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

  /// Stands for an account whose DID is not known yet: only the number of accounts counts.
  private static func standIn(_ handle: Handle) -> DID? { DID("did:web:\(handle)") }

  // MARK: Names

  /// Counts in what it costs to find an account.
  ///
  /// - Returns: the account, or one that stands for it.
  mutating func addAccount(_ actor: ATIdentifier) -> DID? {
    switch actor {
    case .did(let did): return did
    case .handle(let handle):
      plan.addHandles(1)
      assumptions.insert(.existence)
      return Self.standIn(handle)
    }
  }

  /// Counts in one call of a procedure.
  mutating func addCall(_ name: String) { plan.add(name, calls: 1, payload: 1_000) }

  /// Counts in what it costs to find out which list a text names.
  ///
  /// - Returns: the list; one that stands for it where only the network tells.
  /// - Throws: `InputError` for a text that names another thing.
  @discardableResult
  mutating func addNaming(of text: String) throws(InputError) -> ATURI {
    let unknown = OwnList.uri(RecordKey(tid: TIDClock(time: wiring.time).next()), of: account.did)
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

  /// Counts in what it costs to read a record of any account: its DID document, its handle, the record.
  mutating func addRecord(of collection: NSID) {
    plan.add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .existence)
    plan.add(
      "app.bsky.actor.getProfiles", calls: 1, payload: 900, assuming: [.existence, .facts])
    plan.add("com.atproto.repo.getRecord", of: collection, calls: 1, payload: 300, assuming: .existence)
  }

  /// Counts in a listing of the account's own lists.
  mutating func addOwnLists() { plan.addRecords(.list, count: counts.lists) }

  // MARK: The whole

  /// Prints the plan.
  func print() async throws {
    var plan = plan
    let cost = ChangeCost(
      of: changes, by: account.did, counts: counts, writesPerCommit: options.points.commitSize,
      assuming: assumptions)
    let store = try journal()
    plan.targets = max(1, changes.count)
    if 1...ChangePlan.mostVerified ~= named.count { plan.addHandles(named.count) }
    cost.add(
      to: &plan, earlierRecords: try await earlierRecords(store),
      wait: try await wait(toSpend: cost.points, store))
    try wiring.common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
  }

  /// The journal, where there is one: explaining makes none.
  private func journal() throws -> (any JobStore)? {
    try StoreFile.journal.exists(in: UserFolder.data.path(in: wiring.environment))
      ? try wiring.jobStore() : nil
  }

  private func wait(toSpend points: Int, _ store: (any JobStore)?) async throws -> Duration? {
    if let store {
      return try await JobManager(journal: store, time: wiring.time).time(
        toSpend: points, by: account.did, within: options.points.limit ?? WriteLimit())
    }
    return WriteBudget(limit: options.points.limit ?? WriteLimit(), spends: []).end(of: points, at: 0)
      .map(Duration.microseconds)
  }

  /// Records that earlier jobs made and that are looked at before the like is made again.
  private func earlierRecords(_ store: (any JobStore)?) async throws -> Int {
    let made = changes.filter(\.makesEdge).compactMap(\.account)
    guard let store, !made.isEmpty, try await !store.summaries(of: account.did).isEmpty else { return 0 }
    let history = try await store.history(
      of: made.map(ChangeStep.Subject.account), by: account.did
    ).values.joined()
    let records = history.filter { $0.state == .done }.flatMap(\.step.writes).count { write in
      if case .create = write.action { true } else { false }
    }
    // What jobs did to an account that is not resolved yet, is not known.
    return records + (assumptions.contains(.existence) ? made.count { $0.method == "web" } : 0)
  }
}
