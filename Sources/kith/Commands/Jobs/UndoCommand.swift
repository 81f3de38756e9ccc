// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith undo`: undoes a change, the last one if none is named.
struct UndoCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "undo",
    abstract: "Undo your last change, or the one of a job.",
    discussion: """
      \(UndoOptions.discussion)

        kith undo
        kith undo 7
      """)

  @OptionGroup var undo: UndoOptions
  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run() async throws { try await undo.run(points, common, network) }
}

/// `kith jobs undo`: the same, where jobs are.
struct JobsUndoCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo",
    abstract: "Undo what a job did, or the last change.",
    discussion: "\(UndoOptions.discussion) The same as kith undo.")

  @OptionGroup var undo: UndoOptions
  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run() async throws { try await undo.run(points, common, network) }
}

/// What is undone, and whether that is asked about.
struct UndoOptions: ParsableArguments {
  static let discussion = """
    Deletes exactly the records that the job created and creates again those that it deleted, the last one first. What \
    has changed since then stays as it is and is reported. An undo is a job of its own, but cannot be undone: run the \
    original command again.
    """

  @Argument(
    help: ArgumentHelp("The job's number. Default: your last change.", valueName: "job"),
    completion: .jobToUndo)
  var job: JobID?

  @Flag(name: [.customShort("y"), .long], help: "Skip the confirmation prompt.") var yes = false

  func run(_ points: PointOptions, _ common: CommonOptions, _ network: NetworkOptions) async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.jobStore()
    let summary: JobSummary
    if let job {
      summary = try await store.summary(of: job)
    } else {
      summary = try await last(wiring, store, common)
    }
    let job = summary.job.id
    try await wiring.check(summary.job)
    let done = summary.counts[.done]
    if done > 1, !yes {
      try await Confirmation.require(
        "Undo \(done) changes of job \(job) (\(summary.job.title))?",
        or: "see what they are with kith jobs show \(job)")
    }
    let account = try await wiring.workspace.account(of: summary.job)
    let engine = wiring.workspace.engine(of: account, journal: store)
    let undo: ChangeEngine.Undo
    do { undo = try await engine.undo(job) } catch let error as JobError where error.code == .undone {
      // What was asked for is so: another run has done it, or this is a repetition.
      if !common.quiet { StandardError.say(.jobUndone(job)) }
      return try await wiring.print(try await store.summary(of: job), in: store)
    } catch {
      throw UnwrittenChange.wrapping(error)
    }
    if undo.goingAlong > 0 { StandardError.say(.undoneAlong(undo.goingAlong)) }
    try await JobRun(wiring: wiring, points: points, engine: engine).finish(undo.job.id)
  }

  /// The last job of the account with changes that are not undone.
  private func last(
    _ wiring: Wiring, _ store: any JobStore, _ common: CommonOptions
  ) async throws -> JobSummary {
    let summaries = try await store.summaries(of: try await wiring.workspace.account().did)
      .filter { $0.job.undoes == nil && $0.isToUndo }
    guard let newest = summaries.last else { throw CommandFault(.usage, .nothingToUndo) }
    // A job that is running now may be about to change something; the engine says what to do with it, as it does if no
    // job has changed anything.
    guard newest.holder == nil else { return newest }
    guard let last = summaries.last(where: \.hasChanges), last.job.id != newest.job.id else { return newest }
    if !common.quiet { StandardError.say(.jobPassedOver(newest.job.id)) }
    return last
  }
}

extension JobSummary {
  /// Whether it has changed something, or may have.
  fileprivate var hasChanges: Bool { counts[.done] > 0 || counts[.inDoubt] > 0 }

  /// Whether it has changed something, or may do so.
  fileprivate var isToUndo: Bool { hasChanges || !job.state.isEnded }
}
