// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithHistory
public import KithRelationships

/// Takes snapshots of accounts, one after the other, and finds out who left and why.
///
/// There is a row for each snapshot when it ends. If there are several accounts, one that fails does not end the run.
public struct TakeSnapshots: EstimatedOperation {
  public static let name = "takeSnapshots"

  /// Whose snapshots are taken.
  public enum Accounts: Sendable {
    case these([DID])
    /// All watched accounts, oldest snapshot first, so that interrupted runs reach all of them in turn.
    case watched
  }

  public var accounts: Accounts
  /// The sides to record; nil for all that can be read.
  public var sides: Set<HistoryListing.Side>?
  /// The graphs of followers and follows.
  public var graphs: [FollowGraph]
  public var options: SnapshotRecorder.Options

  public init(
    of accounts: Accounts, sides: Set<HistoryListing.Side>? = nil, in graphs: [FollowGraph] = [.bluesky],
    _ options: SnapshotRecorder.Options = SnapshotRecorder.Options()
  ) {
    self.accounts = accounts
    self.sides = sides
    self.graphs = graphs
    self.options = options
  }

  /// How a run ended.
  public struct Outcome: OutcomeOfRows {
    /// The number of accounts; 0 if all watched accounts are wanted, but there are none.
    public let accounts: Int
    public fileprivate(set) var summary = SnapshotSummary()
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    public var ending: Ending { Ending(rows, failure: accounts == 0 ? .notFound : summary.failure) }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "accounts": .integer(accounts),
        "taken": .integer(summary.taken),
        "failed": .integer(summary.failed),
        "gained": .integer(summary.gained),
        "lost": .integer(summary.lost),
        "unconfirmed": .integer(summary.unconfirmed),
      ])
    }
  }

  /// An account, and what is recorded of it.
  private struct Plan {
    let actor: DID
    /// Nil if it is not signed in.
    let account: AuthorizedAccount?
    let sides: [HistoryListing.Side]
  }

  /// - Throws: ``OperationError`` `mutesOfOthers`, and `noHistory` if watched accounts are wanted.
  public func run(in workspace: Workspace, _ report: Reporter<SnapshotRow>) async throws -> Outcome {
    let plans = try await plans(workspace)
    var outcome = Outcome(accounts: plans.count)
    guard !plans.isEmpty else { return outcome }
    let directory = workspace.services.plc
    if !directory.keepsSecrets { report.note(.plainDirectory(directory)) }
    let store = try workspace.history()
    let progress = ReadingProgress(report)
    let lists = await workspace.listNames()
    outcome.rows = await report.deliver { rows in
      for plan in plans {
        do {
          let recorder = workspace.recorder(to: store, as: plan.account)
          try await recorder.takeSnapshots(of: plan.actor, plan.sides, in: graphs, options) {
            progress.advance(by: $0)
          } onSnapshot: { taken in
            outcome.summary.add(taken)
            try await rows.append(
              SnapshotRow(
                snapshot: taken.snapshot, handle: taken.actor?.handle,
                listName: taken.snapshot.listing.listURI.flatMap { lists[$0] }))
            try await rows.flush()
            taken.report(report.note)
          }
        } catch let error as any CodedError
          where plans.count > 1 && !rows.isClosed && FailureKind(error) != nil
          && error.withCodeInOutput != nil
        {
          // Another process is taking this snapshot, or a server does not answer.
          outcome.summary.add(failure: error)
          report.note(.accountFailed(error))
        }
      }
    }
    await workspace.names().prune()
    return outcome
  }

  private func plans(_ workspace: Workspace) async throws -> [Plan] {
    let actors =
      switch accounts {
      case .these(let actors): actors
      case .watched: try await workspace.historyToRead().watchedByAge()
      }
    var plans: [Plan] = []
    for actor in actors {
      let account = try await workspace.account(of: actor)
      plans.append(Plan(actor: actor, account: account, sides: try sides(of: actor, isOwn: account != nil)))
    }
    return plans
  }

  /// The sides to record for an account, in the order of their snapshots.
  private func sides(of actor: DID, isOwn: Bool) throws(OperationError) -> [HistoryListing.Side] {
    guard let sides else { return isOwn ? HistoryListing.Side.allCases : [.followers, .follows] }
    if !isOwn, sides.contains(.mutes) { throw .mutesOfOthers(actor) }
    return HistoryListing.Side.allCases.filter(sides.contains)
  }

  // MARK: Cost

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var cost = CostPlan(concurrency: workspace.concurrency)
    let plans = try await plans(workspace)
    for plan in plans {
      let listings: [ActorListing] = [.followers(of: .did(plan.actor)), .follows(of: .did(plan.actor))]
      let counts = try await NetworkCounts(client: workspace.appview).entries(of: listings)
      if graphs.contains(.bluesky) {
        cost.addSnapshot(plan.sides, followers: counts[0], follows: counts[1])
        if plan.sides.contains(.followers) {
          cost.addDoubt(about: try await doubted(of: plan.actor, workspace))
        }
      }
      cost.addSnapshots(plan.sides, in: graphs.filter { $0 != .bluesky })
    }
    cost.targets = plans.count
    return cost
  }
}

extension TakeSnapshots {
  /// How many followers the last snapshot kept although the AppView no longer showed them.
  private func doubted(of actor: DID, _ workspace: Workspace) async throws -> Int {
    guard let store = try workspace.stores.history(.leave) else { return 0 }
    let snapshots = try await store.snapshots(of: HistoryListing(.followers, of: actor))
    return snapshots.last { $0.state == .complete }?.counts.doubted ?? 0
  }
}

extension HistoryStore {
  /// The watched accounts, oldest snapshot first.
  fileprivate func watchedByAge() async throws -> [DID] {
    // Later snapshots have larger numbers, whatever the clock showed.
    var ages: [(actor: DID, last: Int64)] = []
    for watched in try await watched() {
      let last = try await History(self).snapshots(of: watched.actor).last
      ages.append((watched.actor, last?.id.number ?? 0))
    }
    return ages.sorted { $0.last < $1.last }.map(\.actor)
  }
}

extension SnapshotRecorder.Outcome {
  /// Notes what is wrong with the snapshot.
  func report(_ note: (Note) -> Void) {
    if unreadable > 0 { note(.snapshotIncomplete(snapshot, unreadable: unreadable)) }
    if let fault { note(.snapshotFailed(snapshot, fault)) }
  }
}
