// SPDX-License-Identifier: Apache-2.0

import KithHistory
import KithRelationships

/// Sums up the snapshots of a run.
struct SnapshotSummary {
  private(set) var taken = 0
  private(set) var failed = 0
  private(set) var gained = 0
  private(set) var lost = 0
  private(set) var unconfirmed = 0
  var status = ExitStatus.success

  mutating func add(_ outcome: SnapshotRecorder.Outcome) {
    taken += 1
    if let fault = outcome.fault {
      failed += 1
      status = status.orMoreSevere(CommandFault(any: fault)?.status ?? .unavailable)
    }
    gained += outcome.snapshot.counts.gained
    lost += outcome.snapshot.counts.lost
    unconfirmed += outcome.snapshot.counts.unconfirmed
  }
}
