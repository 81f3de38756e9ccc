// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// What a run will cost, worked out before it begins.
///
/// Counts the calls of a run that starts with a cold cache and meets no fault. A repeated call and the renewal of
/// a session come on top.
public struct CostPlan: Sendable, Hashable {
  /// What a number relies on. A number that relies on nothing is equal to the calls that are made.
  public struct Assumptions: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The AppView shows every named account; each one that it does not show costs one call more: one that does not
    /// exist, is suspended or deactivated. An account that is named twice in different ways costs less.
    public static let existence = Assumptions(rawValue: 1)
    /// All targets come at once, and none is named again after hundreds of others.
    public static let input = Assumptions(rawValue: 2)
    /// An upper bound, from what a server counts. Counts may lag behind (Q12).
    public static let counts = Assumptions(rawValue: 4)
    /// An upper bound: what already holds costs nothing.
    public static let facts = Assumptions(rawValue: 8)
    /// There is no number: no server counts what decides it.
    public static let uncounted = Assumptions(rawValue: 16)
    /// The viewer mutes up to 100 accounts, and no list.
    public static let mutes = Assumptions(rawValue: 32)
  }

  /// One kind of call.
  public struct Step: Sendable, Hashable {
    /// What is called, by the name that `CallMeter` counts it under: a method, or a DID document.
    public let name: String
    /// The collection whose records are read; nil where the call is not about one.
    public let collection: NSID?
    /// How many calls; nil where that is not known.
    public let calls: Int?
    /// Bytes in both directions, before compression; nil where the calls are not known.
    public let bytes: Int?
    /// Points of the write budget.
    public let points: Int
    /// How long the calls take while no limit holds them; nil where the calls are not known.
    public let time: Duration?
    /// What the numbers rely on.
    public let assumptions: Assumptions

    /// Whether the run may make another number of calls.
    public var isEstimate: Bool { !assumptions.isEmpty }
  }

  /// How many calls a server answers in a window of time.
  public struct Limit: Sendable, Hashable {
    /// Calls in one window.
    public var calls: Int
    /// The length of a window.
    public var window: Duration

    /// A limit of so many calls, at least one, in each window.
    public init(calls: Int, window: Duration) {
      self.calls = max(1, calls)
      self.window = window
    }
  }

  /// How long one call to a public server and back is assumed to take.
  public static let roundTrip = Duration.milliseconds(100)
  /// Bytes of the head of a request and of its answer over HTTP/2, by assumption.
  private static let bytesPerCall = 400

  /// The calls, in the order in which they begin.
  public private(set) var steps: [Step] = []
  /// Different targets; nil where their number is not known.
  public var targets: Int?
  /// How long the write budget holds the run; nil where it never allows it.
  public var wait: Duration? = .zero
  private let lanes: Int
  private let limit: Limit?

  /// A plan without steps.
  ///
  /// - Parameters:
  ///   - concurrency: calls under way at once.
  ///   - limit: what the server is known to allow, starting with a fresh window; nil where nothing is known.
  public init(concurrency: Int = 8, limit: Limit? = nil) {
    lanes = max(1, concurrency)
    self.limit = limit
  }

  /// Adds calls that follow those before; nothing where there are none.
  ///
  /// - Parameters:
  ///   - payload: bytes beside the heads of requests and answers.
  ///   - inTurn: whether each call waits for the one before it.
  public mutating func add(
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

  /// Calls in all; nil where one step's are not known.
  public var calls: Int? { sum(\.calls) }
  /// Bytes in both directions, before compression; nil where the calls are not known.
  public var bytes: Int? { sum(\.bytes) }
  /// Points of the write budget.
  public var points: Int { steps.reduce(0) { $0 + $1.points } }
  /// What the numbers rely on.
  public var assumptions: Assumptions { steps.reduce(into: []) { $0.formUnion($1.assumptions) } }

  /// How long it will take, waiting for limits included; nil where the calls are not known, or where the write
  /// budget never allows them.
  ///
  /// Steps wait for each other. Beyond a limit the next window is waited for: 3,334 calls against 3,000 in
  /// 5 minutes take those 5 minutes, and the time of the last 334.
  public var time: Duration? {
    guard let calls, let wait else { return nil }
    let unlimited = steps.reduce(.zero) { $0 + ($1.time ?? .zero) }
    let limited = limit.map { limit in
      let windows = max(0, calls - 1) / limit.calls
      return limit.window * windows + Self.roundTrip * Self.batches(calls - windows * limit.calls, of: lanes)
    }
    return max(unlimited, limited ?? .zero) + wait
  }

  private func sum(_ part: (Step) -> Int?) -> Int? {
    steps.reduce(0) { sum, step in
      guard let sum, let part = part(step) else { return nil }
      return sum + part
    }
  }

  /// How many batches of a size hold so many.
  package static func batches(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }
}

extension CostPlan {
  /// The cost of listing accounts: whom the AppView lists, of follows whom the repository names besides, and what is
  /// wanted of each account.
  ///
  /// - Parameters:
  ///   - count: as in ``addListing(_:entries:)``.
  ///   - needs: what a question about the accounts depends on.
  ///   - hasIndex: whether an index tells of followers whom the AppView leaves out.
  public mutating func addListing(
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
    case .blockers:
      // No server counts lists, nor who blocks them.
      add("\(listing.method)", calls: nil)
      add("\(Blue.Microcosm.Links.GetManyToManyCounts.nsid)", calls: nil)
      add("\(App.Bsky.Graph.GetRelationships.nsid)", calls: nil)
    case .blocks: addRepository(of: .block, count: count, assuming: .counts)
    }
    var needs = needs
    if needs.date, case .followers = listing { needs.relationships.insert(.actor) }
    addQuestions(about: count, needs: needs)
  }

  /// The cost of reading an index, and of asking about the followers whom it adds: all of them at most.
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

  /// The cost of a whole snapshot of an actor, with nobody missing: for those who are, it takes a call for every 30,
  /// one for every 25, and one or more for each that the AppView does not show.
  ///
  /// - Parameters:
  ///   - followers: as in ``addListing(_:entries:)``.
  ///   - follows: records, as an AppView counts them.
  public mutating func addSnapshot(_ sides: [HistoryListing.Side], followers: Int?, follows: Int?) {
    add(Self.profiles, calls: 1, payload: Self.bytesPerProfile)
    let fromRepository = sides.filter { [.follows, .blocks, .members].contains($0) }
    if !fromRepository.isEmpty { add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .facts) }
    for side in sides {
      switch side {
      case .followers: addListing(App.Bsky.Graph.GetFollowers.nsid, entries: followers)
      case .mutes: addListing(App.Bsky.Graph.GetMutes.nsid, entries: nil)
      case .follows: addRecords(.follow, count: follows)
      case .blocks: addRecords(.block, count: nil)
      case .members:
        addRecords(.list, count: nil)
        addRecords(.listitem, count: nil)
      }
    }
  }

  /// The cost of an ``AccountAudit`` that finds nothing: for each account that the AppView leaves out and each list that
  /// is blocked it takes calls of its own, and no server counts those.
  ///
  /// - Parameter follows: records, as an AppView counts them.
  public mutating func addAudit(_ kinds: Set<AuditFinding.Kind>, follows: Int?) {
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

  /// The cost of learning what a question about so many accounts depends on.
  ///
  /// - Parameter count: an upper bound; nil where it is not known.
  public mutating func addQuestions(about count: Int?, needs: AccountPredicate.Needs) {
    let upTo: Assumptions = [.counts, .facts]
    for _ in needs.relationships {
      add(
        "\(App.Bsky.Graph.GetRelationships.nsid)",
        calls: count.map { Self.batches($0, of: AppViewRelationshipSource.targetsPerCall) + Self.pages($0) },
        payload: (count ?? 0) * CheckCost.bytesPerTarget, assuming: .counts)
    }
    if needs.profile || needs.status || needs.names { addNames(of: count, assuming: upTo) }
    // One for each that the AppView does not show, and nobody counts those.
    if needs.status { add("\(App.Bsky.Actor.GetProfile.nsid)", calls: nil) }
    if !needs.mutes.isEmpty { addMutes(of: count, assuming: upTo) }
    if needs.activity { addActivity(of: count) }
  }

  /// The cost of asking the servers of so many accounts when their repositories last changed.
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

  private mutating func addNames(of count: Int?, assuming assumptions: Assumptions) {
    add(
      Self.profiles, calls: count.map { Self.batches($0, of: AccountViews.batchSize) + Self.pages($0) },
      payload: (count ?? 0) * Self.bytesPerProfile, assuming: assumptions)
  }

  /// The cost of reading a listing of an AppView with so many entries.
  ///
  /// A page holds up to 100 entries. Servers count entries that they leave out, skip them page by page, and may
  /// send an empty page behind each other one (Q11, Q12).
  /// - Parameter count: entries as the server counts them; nil where that is not known.
  public mutating func addListing(_ method: NSID, entries count: Int?) {
    add(
      "\(method)", calls: count.map { 2 * Self.pages($0) }, payload: (count ?? 0) * 600, inTurn: true,
      assuming: .counts)
  }

  /// The cost of listing so many records of a repository.
  ///
  /// - Parameters:
  ///   - count: records as an AppView counts them; nil where it does not.
  ///   - times: how often they are listed.
  public mutating func addRecords(
    _ collection: NSID, count: Int?, times: Int = 1, assuming assumptions: Assumptions = .counts
  ) {
    add(
      "com.atproto.repo.listRecords", of: collection, calls: count.map { times * Self.recordPages($0) },
      payload: times * (count ?? 0) * 300, inTurn: true, assuming: assumptions)
  }

  /// The cost of learning whether the viewer mutes so many targets; see ``MutingRelationshipSource``.
  ///
  /// - Parameter count: nil where it is not known.
  public mutating func addMutes(of count: Int?, assuming assumptions: Assumptions) {
    if let count, count <= HandleResolver.batchSize {
      add(Self.profiles, calls: 1, payload: count * Self.bytesPerProfile, assuming: assumptions)
    } else {
      add("\(App.Bsky.Graph.GetListMutes.nsid)", calls: 1, assuming: assumptions)
      add("\(App.Bsky.Graph.GetMutes.nsid)", calls: 1, assuming: assumptions.union(.mutes))
    }
  }

  /// The cost of finding the accounts of handles.
  ///
  /// - Parameter calls: nil for full calls of 25.
  public mutating func addHandles(_ count: Int, calls: Int? = nil) {
    add(
      Self.profiles, calls: calls ?? Self.batches(count, of: HandleResolver.batchSize),
      payload: count * Self.bytesPerProfile, assuming: .existence)
  }

  package static let profiles = "app.bsky.actor.getProfiles"
  /// A profile in an answer of `getProfiles`, by assumption.
  package static let bytesPerProfile = 900

  /// Pages of a listing with so many entries: the last one may be empty.
  static func pages(_ count: Int) -> Int { count / Listings.pageSize + 1 }

  /// Pages of so many records: an inclusive cursor gives 99 new ones a page, and an empty page may be the end
  /// (table of PDSes).
  private static func recordPages(_ count: Int) -> Int { batches(count, of: 99) + 1 }
}
