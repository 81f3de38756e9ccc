// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import RelationshipWriting

/// `kith jobs undo`: undoes the changes of a job.
struct JobsUndoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo the changes of a job.",
    discussion: """
      Deletes exactly the records that the job created and restores those that it deleted, in reverse order. \
      What was changed since then is left alone and reported. The undo is itself a job.
      """)

  @Argument(help: ArgumentHelp("Job number.", valueName: "job")) var job: JobID

  @Flag(name: [.customShort("y"), .long], help: "Skip the confirmation prompt.") var yes = false

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
        "Undo \(done) changes of job \(job) (\(summary.job.title))?",
        or: "list them with kith jobs show \(job) first")
    }
    let account = try await wiring.account(of: summary.job)
    let engine = wiring.engine(of: account, journal: store)
    let undo: ChangeEngine.Undo
    do { undo = try await engine.undo(job) } catch { throw UnwrittenChange.wrapping(error) }
    if undo.goingAlong > 0 { StandardError.say(.undoneAlong(undo.goingAlong)) }
    try await JobRun(wiring: wiring, points: points, engine: engine).finish(undo.job.id)
  }
}
