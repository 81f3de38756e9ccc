// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithOperations
import KithRelationships
import KithWriting

/// `kith jobs due`: undoes expired timed changes.
struct JobsDueCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "due",
    abstract: "Undo timed changes that have expired.",
    discussion: """
      For cron or a systemd timer; make install installs systemd units. Undoes what is due, for every \
      signed-in account (or only that of --account), and prints a row for each job. --dry-run only lists \
      what is due.
      """)

  @Flag(name: [.customShort("n"), .long], help: "List what is due, without changing anything.") var dryRun =
    false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { JobRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.jobStore()
    if !dryRun { try await wiring.cancelUnrecorded(in: store) }
    var due = try await store.due(at: wiring.time.instant)
    if wiring.chosenAccount != nil {
      let account = try await wiring.workspace.account().did
      due.removeAll { $0.job.account != account }
    }
    var status = ExitStatus.success
    try await common.printing(JobRow.self, environment: wiring.environment) { printer in
      for one in due {
        // An interrupted run does not throw, and writes to the journal are not cancelled.
        try Task.checkCancellation()
        if !dryRun { status = status.orMoreSevere(try await end(one, wiring, store)) }
        for row in try await wiring.rows([try await store.summary(of: one.job.id)], in: store) {
          try printer.print(row)
        }
      }
    }
    if status != .success { throw CommandFault(status) }
  }

  /// Undoes one job. An error is reported and does not stop the others.
  private func end(_ due: DueJob, _ wiring: Wiring, _ store: any JobStore) async throws -> ExitStatus {
    do {
      let account = try await wiring.workspace.account(of: due.job)
      let run = JobRun(
        wiring: wiring, points: points, engine: wiring.workspace.engine(of: account, journal: store))
      return try await run.end(due)
    } catch {
      if let error = error as? JobError, try await isLost(due, error, wiring, store) {
        if !common.quiet { StandardError.say(.jobEndedElsewhere(due.job.id, isDone: error.code != .held)) }
        return .success
      }
      guard let fault = CommandFault(any: error), fault.status != .interrupted else { throw error }
      if let said = fault.said { StandardError.say(said.about("job \(due.job.id)", "job", .job(due.job.id))) }
      return fault.status
    }
  }

  /// Whether another process undoes the job at the same moment, or has done so.
  private func isLost(
    _ due: DueJob, _ error: JobError, _ wiring: Wiring, _ store: any JobStore
  ) async throws -> Bool {
    if error.code == .held { return true }
    guard [.wrongState, .undone, .notFound].contains(error.code) else { return false }
    return try await !store.due(at: wiring.time.instant).contains { $0.job.id == due.job.id }
  }
}
