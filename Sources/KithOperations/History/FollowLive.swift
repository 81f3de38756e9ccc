// SPDX-License-Identifier: Apache-2.0

public import KithClient
import KithCore
import KithHistory
public import KithRelationships

/// Follows the relationships of accounts by the stream of the network, until it is cancelled: who follows them, which accounts they
/// follow, and who blocks them.
///
/// There is a row for each event. The history keeps all of them, and the place in the stream: the next run continues there.
public struct FollowLive: EstimatedOperation {
  public static let name = "followLive"

  /// A row does not wait longer for the name of an account.
  private static let patience = Duration.seconds(2)

  /// The accounts.
  public var accounts: TakeSnapshots.Accounts
  /// The graphs of followers and follows.
  public var graphs: [FollowGraph]
  /// How long an event is held back, so that one that is undone meanwhile makes no row.
  public var settle: Duration
  /// Ends after this many rows; nil for never.
  public var limit: Int?

  /// Creates a request; parameters are the properties.
  public init(
    of accounts: TakeSnapshots.Accounts, in graphs: [FollowGraph] = [.bluesky], settle: Duration = .zero,
    limit: Int? = nil
  ) {
    (self.accounts, self.graphs, self.settle, self.limit) = (accounts, graphs, settle, limit)
  }

  /// How a run ended.
  public struct Outcome: OutcomeOfRows {
    /// The number of accounts; 0 if all watched accounts are wanted, but there are none.
    public let accounts: Int
    /// The number of rows with each event.
    public internal(set) var events: [String: Int] = [:]
    /// How often events were missed, so that all had to be read again.
    public fileprivate(set) var gaps = 0
    /// The place in the stream from which the next run continues; nil if it never came to one.
    public internal(set) var cursor: StreamCursor?
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    public var ending: Ending { Ending(rows, failure: accounts == 0 ? .notFound : nil) }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "accounts": .integer(accounts),
        "events": .counts(events.map { ($0, $1) }),
        "gaps": .integer(gaps),
        "host": .text(cursor?.host),
        "place": .text(cursor.map { Datetime(at: $0.at) }),
      ])
    }
  }

  /// - Throws: ``OperationError`` `noHistory`; what the stores throw.
  public func run(in workspace: Workspace, _ report: Reporter<LiveRow>) async throws -> Outcome {
    let actors = try await actors(workspace)
    var outcome = Outcome(accounts: actors.count)
    guard !actors.isEmpty else { return outcome }
    let listings = [HistoryListing](followsOf: actors, in: graphs)
    let store = try workspace.history()
    let teller = LiveTeller(of: actors, report, workspace.time, settle: settle)
    outcome.rows = await report.deliver { rows in
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { [live = workspace.live(in: store)] in
          defer { teller.end() }
          try await live.run(listings) { try await teller.take($0) }
        }
        group.addTask { try await teller.settle() }
        defer { group.cancelAll() }
        while let events = try await teller.next() {
          let views = try await workspace.names(within: Self.patience).views(
            of: events.map(\.account), asking: true)
          for event in events.prefix(limit.map { $0 - rows.count } ?? .max) {
            let row = LiveRow(event, view: views[event.account])
            try await rows.append(row)
            outcome.events[row.name, default: 0] += 1
          }
          try await rows.flush()
          if rows.count == limit { return }
        }
        while let _ = try await group.next() {}
      }
    }
    outcome.gaps = teller.gaps
    // The task may be cancelled, and the place is to be said.
    let places = await Task { try? await store.cursors(of: listings) }.value ?? [:]
    outcome.cursor = places.values.min { $0.at < $1.at }
    return outcome
  }

  private func actors(_ workspace: Workspace) async throws -> [DID] {
    switch accounts {
    case .these(let actors): actors
    case .watched: try await workspace.historyToRead().watched().map(\.actor)
    }
  }

  // MARK: Cost

  /// What is read before events are followed. Accounts that were followed before cost nothing.
  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    let actors = try await actors(workspace)
    let followed =
      try await workspace.stores.history(.leave)?.cursors(of: [HistoryListing](followsOf: actors, in: graphs))
      ?? [:]
    let unread = actors.filter { actor in !followed.keys.contains { $0.actor == actor } }
    var snapshots = TakeSnapshots(of: .these(unread), sides: [.followers, .follows, .blocks], in: graphs)
    snapshots.options.isFull = true
    var cost = try await snapshots.cost(in: workspace, note)
    if graphs.contains(.bluesky) {
      let counts = try await NetworkCounts(client: workspace.appview).entries(
        of: unread.map { .followers(of: .did($0)) })
      for count in counts { cost.addRemainingKeys(of: count) }
    }
    cost.targets = actors.count
    return cost
  }

  /// About how many bytes a stream of these graphs brings in a day: what the whole network does with follows and blocks,
  /// because a filter by account would have to name everybody who may follow.
  public var bytesADay: Int {
    let follows = graphs.contains(.bluesky) ? Self.followsADay : 0
    return (follows + Self.othersADay) * Self.bytesOfEvent
  }

  /// Measured in 2026: about 20 follows and unfollows a second; 3 blocks, renames and changes of accounts.
  private static let followsADay = 20 * 86_400
  private static let othersADay = 3 * 86_400
  private static let bytesOfEvent = 430
}
