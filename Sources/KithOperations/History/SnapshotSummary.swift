// SPDX-License-Identifier: Apache-2.0

package import KithHistory

/// Sums up the snapshots of a run.
package struct SnapshotSummary: Sendable {
  package private(set) var taken = 0
  package private(set) var failed = 0
  package private(set) var gained = 0
  package private(set) var lost = 0
  package private(set) var unconfirmed = 0
  /// The most severe kind of all failures; nil if nothing failed.
  package private(set) var failure: FailureKind?

  package init() {}

  package mutating func add(_ outcome: SnapshotRecorder.Outcome) {
    taken += 1
    if let fault = outcome.fault {
      failed += 1
      add(failure: fault)
    }
    gained += outcome.snapshot.counts.gained
    lost += outcome.snapshot.counts.lost
    unconfirmed += outcome.snapshot.counts.unconfirmed
  }

  /// Adds an error because of which there is no snapshot.
  package mutating func add(failure error: any Error) {
    failure = (FailureKind(error) ?? .unavailable).orMoreSevere(failure)
  }
}
