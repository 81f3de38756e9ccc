// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RelationshipWriting

/// `kith jobs resume`: goes on with a job.
struct JobsResumeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "resume",
    abstract: "Go on with a job where it stopped.",
    discussion: """
      What was sent and not answered is asked for first, so that nothing is done twice. Two that resume the \
      same job do not meet: one goes on, the other is told.
      """)

  @Argument(help: ArgumentHelp("The job's number.", valueName: "job")) var job: JobID

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let store = try wiring.jobStore()
    let found = try await store.job(job)
    // Whoever comes late, as a script does that resumes what another process has finished, finds all as it wished.
    if found.state == .done {
      if !common.quiet { StandardError.say(.jobDone(job)) }
      let summary = try await store.summary(of: job)
      try await wiring.print(summary, in: store)
      let status = summary.tellOfFailures()
      if status != .success { throw CommandFault(status) }
      return
    }
    try (try await store.summary(of: job)).checkIsWrittenDown()
    let account = try await wiring.account(of: found)
    let run = JobRun(wiring: wiring, points: points, engine: wiring.engine(of: account, journal: store))
    try await run.finish(job)
  }
}
