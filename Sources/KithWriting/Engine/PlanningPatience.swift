// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// How long a planner waits for jobs of others that are changing the same at this moment.
///
/// As a rule they are done in less than a second, and then the plan can be made.
struct PlanningPatience: Sendable {
  /// How long to wait altogether.
  private static let most = Duration.seconds(5)
  private static let pause = Duration.milliseconds(100)

  private let start: Duration

  init(at now: Duration) { start = now }

  /// Returns how long to wait before the plan is made again; nil if nothing is worth waiting for.
  func wait(for plan: ChangePlan, in journal: any JobStore, at now: Duration) async throws -> Duration? {
    guard now - start < Self.most else { return nil }
    for job in Set(plan.changes.compactMap(\.jobToWaitFor)).sorted() {
      let summary = try await journal.summary(of: job)
      if summary.isAboutToBeDone { return Self.pause }
    }
    return nil
  }
}

extension JobSummary {
  /// Whether it is being run, was just planned, or is done since the plan was made. A note says why it stopped.
  fileprivate var isAboutToBeDone: Bool {
    switch job.state {
    case .done: true
    case .waiting, .running: holder != nil || job.note == nil
    case .preparing, .proposed, .paused, .cancelled: false
    }
  }
}

extension PlannedChange {
  /// The job that has to be done before this can be planned; nil if there is none.
  fileprivate var jobToWaitFor: JobID? {
    guard let refusal else { return nil }
    switch refusal.code {
    case .contested, .unsettled: return refusal.job
    case .awaited: return change.createsList ? refusal.job : nil
    default: return nil
    }
  }
}
