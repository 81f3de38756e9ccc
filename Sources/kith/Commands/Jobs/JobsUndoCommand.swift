// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RelationshipWriting

/// `kith jobs undo`: takes back what a job did.
struct JobsUndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Take back what a job did.",
    discussion: """
      Exactly the records that the job made are removed and those that it removed are made again, the last \
      first. What was changed since then is left alone, and told. It is a job of its own.
      """)

  @Argument(help: ArgumentHelp("The job's number.", valueName: "job")) var job: JobID

  @Flag(name: [.customShort("y"), .long], help: "Do not ask whether it is meant so.") var yes = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let store = try wiring.jobStore()
    let summary = try await store.summary(of: job)
    try await wiring.check(summary.job)
    let done = summary.counts[.done]
    if done > 1, !yes {
      try await Confirmation.require(
        "Take back \(done) changes of job \(job) (\(summary.job.title))?",
        or: "see what they are with kith jobs show \(job)")
    }
    let account = try await wiring.account(of: summary.job)
    let engine = wiring.engine(of: account, journal: store)
    let undo: ChangeEngine.Undo
    do { undo = try await engine.undo(job) } catch { throw UnwrittenChange.wrapping(error) }
    if undo.goingAlong > 0 { StandardError.say(.undoneAlong(undo.goingAlong)) }
    try await JobRun(wiring: wiring, points: points, engine: engine).finish(undo.job.id)
  }
}
