// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// How long a run waits, by which clock, and when it gives up.
@Suite struct RunTimeTests {
  private static let start: Instant = 1_760_000_000_000_000
  private static let day: Int64 = 86_400_000_000

  /// A wall clock that is set back by a day half a second after the start.
  private func jobsWithAClockThatIsPutBack() -> RunningJobs {
    RunningJobs { steady in
      Self.start + steady - (steady > .milliseconds(500) ? Self.day : 0)
    }
  }

  @Test(arguments: [
    RepositoryError(.unavailable, detail: "down"),
    RepositoryError(.rateLimited, detail: "slow", retryAfter: .seconds(40)),
    RepositoryError(.inDoubt, detail: "lost"),
  ])
  func settingTheWallClockBackDoesNotExtendAWait(_ trouble: RepositoryError) async throws {
    let jobs = jobsWithAClockThatIsPutBack()
    jobs.repository.next(.fail(trouble))
    let job = try await jobs.add(ChangeSamples.drafts(1..<3))
    #expect(try await jobs.runner().run(job, plannedBy: jobs.stamp()) == .done)
    #expect(jobs.time.now <= .seconds(60))
    #expect(jobs.repository.subjects().count == 2)
  }

  @Test func settingTheWallClockBackDoesNotExtendAWaitForPoints() async throws {
    let jobs = jobsWithAClockThatIsPutBack()
    let job = try await jobs.add(ChangeSamples.drafts(1..<5))
    let limit = WriteLimit(perHour: 6, perDay: 600, leave: 0)
    #expect(try await jobs.runner(.init(limit: limit)).run(job, plannedBy: jobs.stamp()) == .done)
    #expect(jobs.repository.subjects().count == 4)
    // An hour, not a day.
    #expect(jobs.time.now < .seconds(3 * 3_600))
  }

  /// By the wall clock, its facts are from tomorrow; by the monotonic clock, they are old.
  @Test func settingTheWallClockBackDoesNotRefreshFacts() async throws {
    let jobs = jobsWithAClockThatIsPutBack()
    let job = try await jobs.add(ChangeSamples.drafts(1..<3))
    let stamp = try await jobs.stamp()
    jobs.clock.advance(by: .seconds(301))
    jobs.repository.put(ChangeSamples.record(1), at: ChangeSamples.otherRecord(1))
    #expect(try await jobs.runner().run(job, plannedBy: stamp) == .done)
    #expect(jobs.repository.subjects().count == 2)
  }

  @Test(arguments: [5, 30, 100]) func endsWithinItsPatience(seconds: Int) async throws {
    let jobs = RunningJobs()
    let patience = Duration.seconds(seconds)
    jobs.repository.always { _ in .fail(RepositoryError(.unavailable, detail: "down")) }
    let job = try await jobs.add(ChangeSamples.drafts(1..<3))
    let end = try await jobs.runner(.init(patience: patience)).run(job, plannedBy: jobs.stamp())
    #expect(end == .stopped(JobStop(.unavailable, "down")))
    #expect(jobs.time.now <= patience && jobs.time.now >= patience / 4)
    let states = try await jobs.states(of: job)
    #expect(states == [.pending, .pending])
  }

  /// A finished commit restarts patience.
  @Test func restartsPatienceAfterEachCommit() async throws {
    let jobs = RunningJobs()
    jobs.repository.always { attempt in
      attempt.isMultiple(of: 2) ? .fail(RepositoryError(.unavailable, detail: "down")) : .happen
    }
    let job = try await jobs.add(ChangeSamples.drafts(1..<20))
    let options = JobOptions(patience: .seconds(3), writesPerCommit: 1)
    #expect(try await jobs.runner(options).run(job, plannedBy: jobs.stamp()) == .done)
    #expect(jobs.repository.subjects().count == 19)
  }

  @Test func endsAtOnceIfTheServerAsksForMoreThanItsPatience() async throws {
    let jobs = RunningJobs()
    jobs.repository.next(.fail(RepositoryError(.unavailable, detail: "busy", retryAfter: .seconds(600))))
    let job = try await jobs.add(ChangeSamples.drafts(1..<3))
    let end = try await jobs.runner(.init(patience: .seconds(30))).run(job, plannedBy: jobs.stamp())
    #expect(end == .stopped(JobStop(.unavailable, "busy", until: Self.start + 600_000_000)))
    #expect(jobs.time.now == .zero)
    #expect(jobs.repository.attempts == 1)
    #expect(try await jobs.states(of: job) == [.pending, .pending])
  }

  /// A job that is paused or cancelled elsewhere does not wait on for the server.
  @Test(.timeLimit(.minutes(1)), arguments: [true, false])
  func noticesAPauseWithinALongWait(isCancelled: Bool) async throws {
    let jobs = RunningJobs(mode: .still)
    jobs.repository.next(
      .fail(RepositoryError(.rateLimited, detail: "busy", retryAfter: .seconds(3_000))))
    let job = try await jobs.add(ChangeSamples.drafts(1..<2))
    let stamp = try await jobs.stamp()
    // A child task, so a run that waits on is cancelled at the time limit.
    async let end = jobs.runner().run(job, plannedBy: stamp)
    await jobs.clock.untilAsleep(1)
    if isCancelled {
      _ = try await jobs.journal.cancel(job, at: jobs.time.instant)
    } else {
      _ = try await jobs.journal.pause(job)
    }
    jobs.clock.advance(by: .seconds(30))
    #expect(try await end == (isCancelled ? .cancelled : .paused))
    #expect(jobs.clock.slept == [.seconds(30)])
    #expect(jobs.repository.subjects().isEmpty)
  }
}
