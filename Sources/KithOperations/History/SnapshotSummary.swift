// SPDX-License-Identifier: Apache-2.0

public import KithHistory

/// Sums up the snapshots of a run.
public struct SnapshotSummary: Sendable {
  public private(set) var taken = 0
  public private(set) var failed = 0
  public private(set) var gained = 0
  public private(set) var lost = 0
  public private(set) var unconfirmed = 0
  /// The most severe kind of all failures; nil if nothing failed.
  public private(set) var failure: FailureKind?

  public init() {}

  public mutating func add(_ outcome: SnapshotRecorder.Outcome) {
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
  public mutating func add(failure error: any Error) {
    failure = (FailureKind(error) ?? .unavailable).orMoreSevere(failure)
  }
}
