// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// All that changes while a network is served.
struct NetworkState: Sendable {
  /// Beyond so many written records the PDS takes no more.
  private static let mostWritten = 4_000_000

  let network: SandboxNetwork
  var sessions: Sessions
  var logins = LoginLimit()
  var points: RatePoints
  /// What the AppView knows.
  var graph: LiveGraph
  let posts: PostTimeline
  /// Posts that were passed on far beyond the usual.
  var wentRound: Set<Post> = []
  var mutes = Mutes()
  var reports = Reports()
  private(set) var commits = 0
  private var repositories: [Int: SandboxRepository] = [:]
  private var written = 0
  /// Commits that the AppView has still to learn of, and when it does.
  private var feed: [(due: Int64, changes: [RecordChange])] = []

  init(_ network: SandboxNetwork, _ writing: Sandbox.Writing, posts: PostTimeline) {
    self.network = network
    self.posts = posts
    sessions = Sessions(lifetime: writing.accessLifetime, endsAccess: writing.dialect == .lenient)
    points = RatePoints(writing)
    graph = LiveGraph(network)
  }

  /// The repository of an account.
  func repository(_ account: Int) -> SandboxRepository {
    repositories[account] ?? SandboxRepository(network, account: account)
  }

  /// Has collections of an account at hand.
  mutating func open(_ collections: some Sequence<NSID>, of account: Int) {
    var repository = repository(account)
    repositories[account] = nil
    for collection in collections { repository.open(collection) }
    repositories[account] = repository
  }

  /// Makes a commit.
  ///
  /// - Parameters:
  ///   - now: microseconds since 1970.
  ///   - lag: after how many microseconds the AppView knows.
  /// - Throws: ``XRPCFault`` where there is no more room.
  mutating func commit(
    _ outcome: [(name: RecordName, written: WrittenRecord?)], to account: Int, rev: TID, at now: Int64,
    lag: Int64
  ) throws(XRPCFault) {
    guard written + outcome.count <= Self.mostWritten else {
      throw XRPCFault(status: 507, name: "SandboxFull", message: "the sandbox keeps no more records")
    }
    written += outcome.count
    commits += 1
    let changes =
      repositories[account, default: SandboxRepository(network, account: account)]
      .commit(outcome, rev: rev, at: now)
    feed.append((now + lag, changes))
    index(until: now)
  }

  /// The number of whoever an identifier names; DIDs stand for themselves, whether anybody has them or not.
  mutating func number(of actor: ATIdentifier) -> Int? {
    switch actor {
    case .did(let did): graph.number(of: did)
    case .handle: graph.standings.index(of: actor)
    }
  }

  /// Has the AppView take in what it knows by now.
  mutating func index(until now: Int64) {
    let due = feed.prefix { $0.due <= now }
    guard !due.isEmpty else { return }
    for commit in due { for change in commit.changes { graph.apply(change) } }
    feed.removeFirst(due.count)
  }
}
