// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
internal import KithLexicons

/// The estimated cost of a run, computed before it begins.
///
/// Counts the calls of a run with a cold cache and without errors. Retries and session refreshes are not
/// included.
public struct CostPlan: Sendable, Hashable {
  /// What a number relies on. Without assumptions the number is exact.
  public struct Assumptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The AppView shows every named account. Each account that it does not show (nonexistent, suspended or
    /// deactivated) costs one more call; an account named in two ways costs less.
    public static let existence = Assumptions(rawValue: 1)
    /// All targets arrive at once, and none is repeated after hundreds of others.
    public static let input = Assumptions(rawValue: 2)
    /// An upper bound from a server's count. Counts may lag behind (Q12).
    public static let counts = Assumptions(rawValue: 4)
    /// An upper bound: changes that already hold cost nothing.
    public static let facts = Assumptions(rawValue: 8)
    /// No number: no server provides the count it depends on.
    public static let uncounted = Assumptions(rawValue: 16)
    /// The viewer mutes at most 100 accounts and no lists.
    public static let mutes = Assumptions(rawValue: 32)
  }

  /// One kind of call.
  public struct Step: Sendable, Hashable {
    /// The name under which `CallMeter` counts the call: a method, or a DID document.
    public let name: String
    /// The collection whose records are read; nil if the call is not about one.
    public let collection: NSID?
    /// Number of calls; nil if unknown.
    public let calls: Int?
    /// Bytes in both directions before compression; nil if the number of calls is unknown.
    public let bytes: Int?
    /// Write budget points.
    public let points: Int
    /// Duration of the calls without rate limits; nil if the number of calls is unknown.
    public let time: Duration?
    /// What the numbers rely on.
    public let assumptions: Assumptions

    /// Whether the actual number of calls may differ.
    public var isEstimate: Bool { !assumptions.isEmpty }
  }

  /// Assumed round trip of one call to a public server.
  public static let roundTrip = Duration.milliseconds(100)
  /// Assumed bytes of request and response headers over HTTP/2.
  private static let bytesPerCall = 400

  /// The calls, in the order in which they begin.
  public private(set) var steps: [Step] = []
  /// Number of distinct targets; nil if unknown.
  public var targets: Int?
  /// How long the write budget delays the run; nil if the budget never allows it.
  public var wait: Duration? = .zero
  private let lanes: Int

  /// Creates a plan without steps.
  ///
  /// - Parameter concurrency: concurrent calls.
  package init(concurrency: Int = 8) { lanes = max(1, concurrency) }

  /// Adds calls that run after the previous steps; does nothing for zero calls.
  ///
  /// - Parameters:
  ///   - payload: bytes besides headers.
  ///   - inTurn: whether the calls are sequential.
  package mutating func add(
    _ name: String, of collection: NSID? = nil, calls: Int?, payload: Int = 0, points: Int = 0,
    inTurn: Bool = false, assuming assumptions: Assumptions = []
  ) {
    if calls == 0 { return }
    steps.append(
      Step(
        name: name, collection: collection, calls: calls,
        bytes: calls.map { $0 * Self.bytesPerCall + payload }, points: points,
        time: calls.map { Self.roundTrip * Self.batches($0, of: inTurn ? 1 : lanes) },
        assumptions: calls == nil ? assumptions.union(.uncounted) : assumptions))
  }

  /// The calls of both, one after the other.
  public static func + (one: CostPlan, other: CostPlan) -> CostPlan {
    var sum = one
    sum.steps += other.steps
    sum.targets =
      one.targets.flatMap { one in other.targets.map { one + $0 } } ?? other.targets ?? one.targets
    sum.wait = one.wait.flatMap { one in other.wait.map { one + $0 } }
    return sum
  }

  /// Total number of calls; nil if that of a step is unknown.
  public var calls: Int? { sum(\.calls) }
  /// Bytes in both directions before compression; nil if a number of calls is unknown.
  public var bytes: Int? { sum(\.bytes) }
  /// Total write budget points.
  public var points: Int { steps.reduce(0) { $0 + $1.points } }
  /// What the numbers rely on.
  public var assumptions: Assumptions { steps.reduce(into: []) { $0.formUnion($1.assumptions) } }

  /// Total duration, including waiting for the write budget; nil if a number of calls is unknown or the budget never
  /// allows them. Steps run one after another.
  public var time: Duration? {
    guard calls != nil, let wait else { return nil }
    return steps.reduce(wait) { $0 + ($1.time ?? .zero) }
  }

  private func sum(_ part: (Step) -> Int?) -> Int? {
    steps.reduce(0) { sum, step in
      guard let sum, let part = part(step) else { return nil }
      return sum + part
    }
  }

  /// The number of batches of a size needed for a count.
  package static func batches(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }
}

extension CostPlan {
  /// Adds the cost of listing accounts: those in the AppView's listing, for follows also those only in the
  /// repository, and the facts needed about each account.
  ///
  /// - Parameters:
  ///   - count: see ``addListing(_:entries:)``.
  ///   - needs: the facts that a predicate about the accounts needs.
  ///   - hasIndex: whether an index provides followers that the AppView leaves out.
  package mutating func addListing(
    _ listing: ActorListing, entries count: Int?, needs: AccountPredicate.Needs = AccountPredicate.Needs(),
    hasIndex: Bool = false
  ) {
    let upTo: Assumptions = [.counts, .facts]
    switch listing {
    case .follows:
      add(Self.profiles, calls: 1, payload: Self.bytesPerProfile)
      addListing(listing.method, entries: count)
      addRepository(of: .follow, count: count, assuming: needs.date ? .counts : upTo)
    case .followers:
      add(Self.profiles, calls: 1, payload: Self.bytesPerProfile)
      addListing(listing.method, entries: count)
      if hasIndex { addFollowersByIndex(count) }
    case .members, .mutes: addListing(listing.method, entries: count)
    case .reactions(.replies, _):
      add("\(App.Bsky.Feed.GetPosts.nsid)", calls: 1)
      add("\(listing.method)", calls: 1)
    case .reactions:
      add("\(App.Bsky.Feed.GetPosts.nsid)", calls: 1)
      addListing(listing.method, entries: count)
    case .blockers:
      // No server counts lists or the accounts that block them.
      add("\(listing.method)", calls: nil)
      add("\(Blue.Microcosm.Links.GetManyToManyCounts.nsid)", calls: nil)
      add("\(App.Bsky.Graph.GetRelationships.nsid)", calls: nil)
    case .blocks: addRepository(of: .block, count: count, assuming: .counts)
    case .graph(let graph):
      // No server counts the follows of other apps.
      if graph.needsIndex { add("\(listing.method)", calls: nil) }
      if graph.side != .followers { addRecords(graph.graph.collection, count: nil) }
      if graph.side == .mutuals || graph.side == .notFollowingBack {
        add(CallMeter.documents, calls: nil)
        addRecords(graph.graph.collection, count: nil)
      }
      addNames(of: nil, assuming: .counts)
    }
    var needs = needs
    if needs.date, case .followers = listing { needs.relationships.insert(.actor) }
    addQuestions(about: count, needs: needs)
  }

  /// Adds the cost of reading an index and of looking up the followers that only it has: at most all of
  /// them.
  private mutating func addFollowersByIndex(_ count: Int?) {
    let upTo: Assumptions = [.counts, .facts]
    add(
      "\(Blue.Microcosm.Links.GetBacklinks.nsid)",
      calls: count.map { Self.batches($0, of: BacklinkIndex.pageSize) + 1 }, payload: (count ?? 0) * 120,
      inTurn: true, assuming: upTo)
    add(
      "\(App.Bsky.Graph.GetRelationships.nsid)",
      calls: count.map { Self.batches($0, of: AppViewRelationshipSource.targetsPerCall) }, assuming: upTo)
    addNames(of: count, assuming: upTo)
  }

  /// Adds the cost of an ``AccountAudit`` without findings. Each account that the AppView leaves out and
  /// each blocked list costs further calls, which no server count predicts.
  ///
  /// - Parameter follows: number of records as an AppView counts them.
  package mutating func addAudit(_ kinds: Set<AuditFinding.Kind>, follows: Int?) {
    func asks(_ wanted: AuditFinding.Kind...) -> Bool { !kinds.isDisjoint(with: wanted) }
    let upTo: Assumptions = [.counts, .facts]
    if asks(.pds, .clock, .status) { add("\(Com.Atproto.Sync.GetRepoStatus.nsid)", calls: 1, payload: 200) }
    if asks(.handle, .pds, .status) {
      add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .facts)
      add(Self.profiles, calls: 1, payload: Self.bytesPerProfile, assuming: .facts)
    }
    let readsFollows = asks(.duplicate, .selfEdge, .malformed)
    if readsFollows || !kinds.isDisjoint(with: AuditFinding.Kind.ofFollows) {
      addRecords(.follow, count: follows)
    }
    if !kinds.isDisjoint(with: AuditFinding.Kind.ofFollows) {
      addListing(App.Bsky.Graph.GetFollows.nsid, entries: follows)
      add("\(App.Bsky.Graph.GetRelationships.nsid)", calls: nil)
      addNames(of: nil, assuming: upTo)
      add(CallMeter.documents, calls: nil)
      add(CallMeter.handleProofs, calls: nil)
      add("\(App.Bsky.Actor.GetProfile.nsid)", calls: nil)
    }
    if kinds.contains(.inactive) { addActivity(of: follows) }
    if readsFollows { addRecords(.block, count: nil) }
    if asks(.duplicate, .malformed, .deadListBlock, .orphanMembers) {
      addRecords(.list, count: nil)
      addRecords(.listblock, count: nil)
      if asks(.duplicate, .malformed, .orphanMembers) { addRecords(.listitem, count: nil) }
    }
    if kinds.contains(.deadListBlock) { add("com.atproto.repo.getRecord", of: .list, calls: nil) }
    if kinds.contains(.subscription) {
      addListing(App.Bsky.Graph.GetListBlocks.nsid, entries: nil)
      addListing(App.Bsky.Graph.GetListMutes.nsid, entries: nil)
    }
    if kinds.contains(.onList) {
      add("\(Blue.Microcosm.Links.GetManyToManyCounts.nsid)", calls: nil)
      add("\(App.Bsky.Graph.GetList.nsid)", calls: nil)
    }
  }

  /// Adds the cost of the facts that a predicate needs about this many accounts.
  ///
  /// - Parameter count: an upper bound; nil if unknown.
  package mutating func addQuestions(about count: Int?, needs: AccountPredicate.Needs) {
    let upTo: Assumptions = [.counts, .facts]
    for _ in needs.relationships {
      add(
        "\(App.Bsky.Graph.GetRelationships.nsid)",
        calls: count.map { Self.batches($0, of: AppViewRelationshipSource.targetsPerCall) + Self.pages($0) },
        payload: (count ?? 0) * CheckCost.bytesPerTarget, assuming: .counts)
    }
    let named = needs.relationships.count { if case .account = $0 { true } else { false } }
    // Whether the AppView shows a named account.
    add(Self.profiles, calls: count == 0 ? 0 : named, payload: named * Self.bytesPerProfile, assuming: upTo)
    if needs.profile || needs.status || needs.names || needs.knownFollowers {
      addNames(of: count, assuming: upTo)
    }
    if needs.relationship {
      add(
        "\(App.Bsky.Graph.GetRelationships.nsid)",
        calls: count.map { Self.batches($0, of: AppViewRelationshipSource.targetsPerCall) },
        payload: (count ?? 0) * CheckCost.bytesPerTarget, assuming: upTo)
    }
    // No server says how long the lists are before they are read.
    for _ in needs.lists { add("\(App.Bsky.Graph.GetList.nsid)", calls: nil) }
    // One call for each account that the AppView does not show; their number is unknown.
    if needs.status { add("\(App.Bsky.Actor.GetProfile.nsid)", calls: nil) }
    if !needs.mutes.isEmpty { addMutes(of: count, assuming: upTo) }
    if needs.activity { addActivity(of: count) }
    for _ in needs.friendships { addFriendRecords(targets: count, each: 1) }
  }

  /// Adds the cost of asking this many accounts' servers for the last change of the repository.
  private mutating func addActivity(of count: Int?) {
    let upTo: Assumptions = [.counts, .facts]
    add(CallMeter.documents, calls: count, payload: 1_000 * (count ?? 0), assuming: upTo)
    add(
      "\(Com.Atproto.Sync.GetLatestCommit.nsid)", calls: count, payload: 200 * (count ?? 0), assuming: upTo)
  }

  private mutating func addRepository(of collection: NSID, count: Int?, assuming assumptions: Assumptions) {
    add(CallMeter.documents, calls: 1, payload: 1_000, assuming: assumptions)
    addRecords(collection, count: count, assuming: assumptions)
    addNames(of: count, assuming: assumptions)
  }

  /// Adds the cost of checking pairs in the graphs of other apps: the actor's records, and those of each target.
  ///
  /// - Parameter targets: nil if their number is unknown.
  package mutating func addGraphs(_ graphs: [FollowGraph], targets: Int?) {
    add(CallMeter.documents, calls: targets, payload: 1_000 * (targets ?? 0), assuming: .counts)
    for graph in graphs {
      addRecords(graph.collection, count: nil)
      add(
        "com.atproto.repo.listRecords", of: graph.collection, calls: targets,
        payload: 30_000 * (targets ?? 0),
        assuming: .counts)
    }
  }

  /// Adds what it takes to find out what a block leaves, beside the block: the collections of the repository, and the
  /// newest records in those of follows and friends that are there.
  package mutating func addOtherRecordsOfBlocked() {
    add("\(Com.Atproto.Repo.DescribeRepo.nsid)", calls: 1, payload: 1_000)
    let others = FollowGraph.known.filter { $0 != .bluesky }.map(\.collection)
    for collection in others + [FriendRequest.collection, FriendAnswer.collection] {
      add(
        "\(Com.Atproto.Repo.ListRecords.nsid)", of: collection, calls: 1, payload: 30_000, assuming: .facts)
    }
  }

  /// Adds what it takes to read the policies of accounts.
  package mutating func addFriendRecords(policiesOf targets: Int) {
    add(CallMeter.documents, calls: targets, payload: 1_000 * targets, assuming: .facts)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)", of: FriendPolicy.collection, calls: targets,
      payload: 500 * targets)
  }

  /// Adds what it takes to read friend records of other accounts: who they are, and this many records of each.
  package mutating func addFriendRecords(targets: Int?, each records: Int) {
    add(CallMeter.documents, calls: targets, payload: 1_000 * (targets ?? 0), assuming: .counts)
    addRecords(FriendRequest.collection, count: nil)
    addRecords(FriendAnswer.collection, count: nil)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)", calls: targets.map { records * $0 },
      payload: 500 * records * (targets ?? 0), assuming: .counts)
  }

  private mutating func addNames(of count: Int?, assuming assumptions: Assumptions) {
    add(
      Self.profiles, calls: count.map { Self.batches($0, of: AccountViews.batchSize) + Self.pages($0) },
      payload: (count ?? 0) * Self.bytesPerProfile, assuming: assumptions)
  }

  /// Adds the cost of reading an AppView listing with this many entries.
  ///
  /// A page holds up to 100 entries. Servers count entries that they leave out, skip them page by page, and
  /// may send an empty page after each full one (Q11, Q12).
  /// - Parameter count: entries as the server counts them; nil if unknown.
  package mutating func addListing(_ method: NSID, entries count: Int?) {
    add(
      "\(method)", calls: count.map { 2 * Self.pages($0) }, payload: (count ?? 0) * 600, inTurn: true,
      assuming: .counts)
  }

  /// Adds the cost of listing this many records of a repository.
  ///
  /// - Parameters:
  ///   - count: number of records as an AppView counts them; nil if it does not.
  ///   - times: how often they are listed.
  package mutating func addRecords(
    _ collection: NSID, count: Int?, times: Int = 1, assuming assumptions: Assumptions = .counts
  ) {
    add(
      "com.atproto.repo.listRecords", of: collection, calls: count.map { times * Self.recordPages($0) },
      payload: times * (count ?? 0) * 300, inTurn: true, assuming: assumptions)
  }

  /// Adds the cost of reading whole collections of the own repository at once, and, if nothing is sent, of finding out
  /// whether they change meanwhile. What is kept and current costs one call.
  ///
  /// - Parameter collections: each with its number of records as an AppView counts them; nil if it does not.
  package mutating func addOwnRecords(_ collections: [(NSID, count: Int?)]) {
    if collections.isEmpty { return }
    add("\(Com.Atproto.Sync.GetLatestCommit.nsid)", calls: 2, payload: 400, inTurn: true, assuming: .facts)
    for (collection, count) in collections {
      add(
        "com.atproto.repo.listRecords", of: collection, calls: count.map(Self.rangedPages),
        payload: (count ?? 0) * 300, assuming: .counts)
    }
  }

  /// Adds the cost of learning which of this many targets the viewer mutes; see
  /// ``MutingRelationshipSource``.
  ///
  /// - Parameter count: nil if unknown.
  package mutating func addMutes(of count: Int?, assuming assumptions: Assumptions) {
    let size = AppViewRelationshipSource.targetsPerCall
    let most = MutingRelationshipSource.profiledTargets
    add(
      Self.profiles, calls: MutingRelationshipSource.profileCalls(for: count ?? .max, inBatchesOf: size),
      payload: min(count ?? most, most) * Self.bytesPerProfile, assuming: assumptions)
    guard count.map({ $0 > most }) ?? true else { return }
    add("\(App.Bsky.Graph.GetListMutes.nsid)", calls: 1, assuming: assumptions)
    add("\(App.Bsky.Graph.GetMutes.nsid)", calls: 1, assuming: assumptions.union(.mutes))
  }

  /// Adds the cost of resolving handles.
  ///
  /// - Parameter calls: nil for full batches of 25.
  package mutating func addHandles(_ count: Int, calls: Int? = nil) {
    add(
      Self.profiles, calls: calls ?? Self.batches(count, of: HandleResolver.batchSize),
      payload: count * Self.bytesPerProfile, assuming: .existence)
  }

  package static let profiles = "app.bsky.actor.getProfiles"
  /// Assumed size of a profile in an answer of `getProfiles`.
  package static let bytesPerProfile = 900

  /// Pages of a listing with this many entries; the last one may be empty.
  static func pages(_ count: Int) -> Int { count / Listings.pageSize + 1 }

  /// Pages for this many records: an inclusive cursor gives 99 new ones per page, and the end may be an
  /// empty page (table of PDSes).
  private static func recordPages(_ count: Int) -> Int { batches(count, of: 99) + 1 }

  /// The most pages for this many records if ranges of keys are read at once: see ``RangedListing``.
  private static func rangedPages(_ count: Int) -> Int {
    count < RecordReader.pageSize ? recordPages(count) : 2 * recordPages(count) + 8
  }
}

extension MutingRelationshipSource {
  /// The most calls for profiles that a number of targets takes, which come in batches.
  package static func profileCalls(for count: Int, inBatchesOf size: Int) -> Int {
    let profiled = min(count, profiledTargets)
    return profiled / size * CostPlan.batches(size, of: HandleResolver.batchSize)
      + CostPlan.batches(profiled % size, of: HandleResolver.batchSize)
  }
}
