// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithWriting

/// Notices what this server has not done itself: jobs of an app or of another process, what the daemon has seen, and what the
/// AppView counts. It looks only while a page is open.
struct ChangeWatch {
  /// The time between two looks.
  static let interval = Duration.seconds(2)
  /// Counts are asked of the AppView so often; the daemon is asked at each look.
  static let askingInterval = Duration.seconds(30)

  private let workspace: Workspace
  private let events: EventHub

  init(_ workspace: Workspace, _ events: EventHub) { (self.workspace, self.events) = (workspace, events) }

  /// Looks until it is cancelled.
  func run() async {
    // The network may take its time; what this machine knows does not wait for it.
    async let counts: Void = watchCounts()
    var jobs: [JobFacts]?
    var changes: [DID: [OutputField]] = [:]
    await whilePagesAreOpen {
      await lookAtJobs(&jobs)
      for account in await accounts() { await lookAtChanges(of: account, &changes) }
    }
    await counts
  }

  private func whilePagesAreOpen(_ look: () async -> Void) async {
    while (try? await workspace.time.sleep(for: Self.interval)) != nil {
      if events.readers > 0 { await look() }
    }
  }

  private func accounts() async -> [DID] {
    let run = try? await GatheredRun(ListSignedInAccounts(), in: workspace, most: 100)
    return run?.rows.map(\.did) ?? []
  }

  // MARK: Jobs and history

  /// What a job is, and how far it has come.
  private struct JobFacts: Equatable {
    /// Which are told as progress, and when it will end, which is another time at each look.
    static let progress: Set = [
      "done", "skipped", "failed", "inDoubt", "pending", "cancelled", "undone", "pointsLeft", "eta",
    ]

    let row: JobRow
    let facts: [OutputField]

    init(_ row: JobRow) {
      self.row = row
      facts = RowEncoder.fields(of: row).filter { !Self.progress.contains($0.name) }
    }

    static func == (one: JobFacts, other: JobFacts) -> Bool { one.facts == other.facts }
  }

  private func lookAtJobs(_ known: inout [JobFacts]?) async {
    guard let run = try? await GatheredRun(ListJobs(), in: workspace, most: 1_000) else { return }
    let jobs = run.rows.map(JobFacts.init)
    // At the first look, too: a page may have been loaded long before it connected.
    if known != jobs {
      events.publish(DashboardEvent(.jobs))
    } else {
      for (former, job) in zip(known ?? [], jobs) where former.row.counts != job.row.counts {
        events.publish(
          DashboardEvent(.progress, JobProgress(job: job.row.job.id, counts: job.row.counts).fields))
      }
    }
    known = jobs
  }

  private func lookAtChanges(of account: DID, _ known: inout [DID: [OutputField]]) async {
    // Without a history there is nothing to look at.
    guard let run = try? await GatheredRun(ListChanges(of: account, limit: 1), in: workspace, most: 1),
      let latest = run.rows.first.map({ RowEncoder.fields(of: $0) })
    else { return }
    if known[account] != latest {
      events.publish(DashboardEvent(.history, [OutputField("actor", .text(account))]))
    }
    known[account] = latest
  }

  // MARK: Counts

  /// What was counted, when, and whether the daemon has.
  private struct Counted {
    var fields: [OutputField]?
    var at: Duration
    var byDaemon = false
  }

  private func watchCounts() async {
    var known: [DID: Counted] = [:]
    await whilePagesAreOpen {
      for account in await accounts() { await lookAtCounts(of: account, &known) }
    }
  }

  private func lookAtCounts(of account: DID, _ known: inout [DID: Counted]) async {
    let now = workspace.time.now
    let former = known[account]
    if let former, !former.byDaemon, now - former.at < Self.askingInterval { return }
    guard let run = try? await GatheredRun(CountListings(of: [account]), in: workspace, most: 2) else {
      known[account] = Counted(fields: former?.fields, at: now)
      return
    }
    func count(_ side: HistoryListing.Side) -> OutputValue {
      .number(run.rows.first { $0.listing.side == side }?.count)
    }
    let fields = [
      OutputField("actor", .text(account)), OutputField("followers", count(.followers)),
      OutputField("follows", count(.follows)),
    ]
    if former?.fields != fields { events.publish(DashboardEvent(.counts, fields)) }
    known[account] = Counted(fields: fields, at: now, byDaemon: run.rows.contains { $0.source == .daemon })
  }
}

extension JobProgress {
  /// What pages are told.
  var fields: [OutputField] {
    [
      OutputField("job", .integer(Int(job.number))), OutputField("total", .integer(counts.total)),
      OutputField("done", .integer(counts[.done])), OutputField("failed", .integer(counts[.failed])),
      OutputField("pending", .integer(counts[.pending] + counts[.inDoubt])), OutputField("eta", .text(eta)),
      OutputField("waitsUntil", .text(waitsUntil)),
    ]
  }
}
