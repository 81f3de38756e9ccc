// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships

/// Notices what this server has not done itself: jobs of an app or of another process, what the daemon has seen, and what the
/// AppView counts. It looks only while a page is open.
struct ChangeWatch {
  /// The time between two looks.
  static let interval = Duration.seconds(2)
  /// Counts are asked of the AppView so often; the daemon is asked at each look.
  static let askingInterval = Duration.seconds(30)

  private struct Known {
    var jobs: [[OutputField]]?
    var counts: [DID: (fields: [OutputField], at: Duration, byDaemon: Bool)] = [:]
    var changes: [DID: [OutputField]] = [:]
  }

  private let workspace: Workspace
  private let events: EventHub

  init(_ workspace: Workspace, _ events: EventHub) { (self.workspace, self.events) = (workspace, events) }

  /// Looks until it is cancelled.
  func run() async {
    var known = Known()
    while (try? await workspace.time.sleep(for: Self.interval)) != nil {
      guard events.readers > 0 else { continue }
      await lookAtJobs(&known)
      let accounts = (try? await GatheredRun(ListSignedInAccounts(), in: workspace, most: 100))?.rows ?? []
      for account in accounts {
        await lookAtCounts(of: account.did, &known)
        await lookAtChanges(of: account.did, &known)
      }
    }
  }

  private func lookAtJobs(_ known: inout Known) async {
    guard let run = try? await GatheredRun(ListJobs(), in: workspace, most: 1_000) else { return }
    // When it will end is another time at each look.
    let jobs = run.rows.map { row in RowEncoder.fields(of: row).filter { $0.name != "eta" } }
    // At the first look, too: a page may have been loaded long before it connected.
    if known.jobs != jobs { events.publish(DashboardEvent(.jobs)) }
    known.jobs = jobs
  }

  private func lookAtCounts(of account: DID, _ known: inout Known) async {
    let now = workspace.time.now
    let former = known.counts[account]
    if let former, !former.byDaemon, now - former.at < Self.askingInterval { return }
    guard let run = try? await GatheredRun(CountListings(of: [account]), in: workspace, most: 2) else {
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
    known.counts[account] = (fields, now, run.rows.contains { $0.source == .daemon })
  }

  private func lookAtChanges(of account: DID, _ known: inout Known) async {
    // Without a history there is nothing to look at.
    guard let run = try? await GatheredRun(ListChanges(of: account, limit: 1), in: workspace, most: 1),
      let latest = run.rows.first.map({ RowEncoder.fields(of: $0) })
    else { return }
    if known.changes[account] != latest {
      events.publish(DashboardEvent(.history, [OutputField("actor", .text(account))]))
    }
    known.changes[account] = latest
  }
}
