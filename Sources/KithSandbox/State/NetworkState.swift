// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The state that changes while a network is served.
struct NetworkState: Sendable {
  /// The most written records; the PDS accepts no more than these.
  private static let mostWritten = 4_000_000

  let network: SandboxNetwork
  var sessions: Sessions
  var logins = LoginLimit()
  var points: RatePoints
  /// The AppView's index.
  var graph: LiveGraph
  let posts: PostTimeline
  /// Posts that were spread far beyond the usual.
  var viral: Set<Post> = []
  var mutes = Mutes()
  var notices = Notices()
  var files = Files()
  /// The private settings of accounts, which their PDS keeps.
  var preferences: [Int: App.Bsky.Actor.Defs.Preferences] = [:]
  var reports = Reports()
  private(set) var commits = 0
  private var repositories: [Int: SandboxRepository] = [:]
  private var written = 0
  /// Commits that the AppView has not indexed yet, and when it will.
  private var feed: [(due: Instant, changes: [RecordChange])] = []

  init(_ network: SandboxNetwork, _ writing: SandboxWriting, posts: PostTimeline) {
    self.network = network
    self.posts = posts
    sessions = Sessions(lifetime: writing.accessLifetime, endsAccess: writing.dialect == .lenient)
    points = RatePoints(writing)
    graph = LiveGraph(network, unindexed: writing.unindexed)
  }

  /// Returns the repository of an account.
  func repository(_ account: Int) -> SandboxRepository {
    repositories[account] ?? SandboxRepository(network, account: account)
  }

  /// Loads collections of an account into memory.
  mutating func open(_ collections: some Sequence<NSID>, of account: Int) {
    var repository = repository(account)
    repositories[account] = nil
    for collection in collections { repository.open(collection) }
    repositories[account] = repository
  }

  /// Makes a commit.
  ///
  /// - Parameter lag: the delay until the AppView indexes it.
  /// - Returns: the change of each record.
  /// - Throws: ``XRPCFault`` if the sandbox is full.
  mutating func commit(
    _ outcome: [(name: SandboxRecordName, written: WrittenRecord?)], to account: Int, rev: TID,
    at now: Instant,
    lag: Duration
  ) throws(XRPCFault) -> [RecordChange] {
    guard written + outcome.count <= Self.mostWritten else {
      throw XRPCFault(status: 507, name: "SandboxFull", message: "the sandbox is full")
    }
    written += outcome.count
    commits += 1
    let changes =
      repositories[account, default: SandboxRepository(network, account: account)]
      .commit(outcome, rev: rev, at: now)
    feed.append((now + lag, changes))
    index(until: now)
    return changes
  }

  /// Returns the number of an identifier; every DID gets one, whether it exists or not.
  mutating func number(of actor: ATIdentifier) -> Int? {
    switch actor {
    case .did(let did): graph.number(of: did)
    case .handle: graph.standings.index(of: actor)
    }
  }

  /// Indexes everything that is due by now.
  mutating func index(until now: Instant) {
    let due = feed.prefix { $0.due <= now }
    guard !due.isEmpty else { return }
    for commit in due { for change in commit.changes { graph.apply(change) } }
    feed.removeFirst(due.count)
  }
}
