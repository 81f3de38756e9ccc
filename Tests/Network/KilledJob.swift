// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// A change whose processes are killed at any point, and which is resumed until it is done.
struct KilledJob {
  let person: Person
  /// The title of the job.
  let title: String
  /// The command that starts it.
  let line: String
  let input: String
  private let contact = "mailto:\(UUID())@test"
  /// Processes that were killed.
  private(set) var kills = 0
  /// Processes that had not added the job yet.
  private(set) var unwritten = 0
  /// Processes that left a commit in doubt.
  private(set) var doubts = 0

  private static let options =
    "--points 1000000/1000000 --leave 0 --commit-size \(KillPlan.writesPerCommit)"

  init(_ title: String, by person: Person, line: String, input: String = "") {
    (self.title, self.person, self.line, self.input) = (title, person, line, input)
  }

  /// Starts and resumes it, is killed at each of the moments, and then runs to the end.
  mutating func run(killedAt moments: [KillPlan.Moment]) async throws {
    for moment in moments {
      guard let line = try await nextLine() else { break }
      let run = try await person.kith(line, input: input, contact: contact) { [person, contact] victim in
        var log = try CommitLog(of: person.network, contact: contact)
        try await log.wait(for: moment.commits)
        try await Task.sleep(for: .milliseconds(moment.milliseconds))
        victim.send(SIGKILL)
      }
      // On a very busy machine, it may be done before it is killed.
      if run.status == 0 { continue }
      #expect(run.status == 128 + SIGKILL, "\(title) after \(kills) kills: \(run.talk)")
      kills += 1
      let job = try await job()
      if (job?.inDoubt ?? 0) > 0 { doubts += 1 }
      if job == nil || job?.state == "preparing" { unwritten += 1 }
    }
    #expect(2 * kills > moments.count, "\(title) was done after \(kills) kills")
    if let line = try await nextLine() {
      let run = try await person.kith(line, input: input)
      #expect(run.status == 0, "\(title): \(run.talk)")
    }
    #expect(try await nextLine() == nil)
  }

  private func job() async throws -> Person.JobLine? {
    try await person.kith("jobs --all").rows(Person.JobLine.self).last { $0.verb == title }
  }

  /// The next command after a process died: the same one if the job was not added yet, otherwise one that
  /// resumes the job; nil when it is done.
  private func nextLine() async throws -> String? {
    guard let job = try await job(), job.state != "preparing" else { return "\(line) \(Self.options)" }
    return job.state == "done" ? nil : "jobs resume \(job.job) \(Self.options)"
  }
}
