// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ArgumentParser
import RelationshipWriting
import Relationships

/// `kith jobs due`: takes back what was to last until now.
struct JobsDueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "due",
    abstract: "Take back timed changes whose time is over.",
    discussion: """
      For cron or a systemd timer; make install brings units for the latter. Carries out what is due, of every \
      account that is signed in (or of the one that --account names), and prints a row for each. --dry-run only \
      lists what is due.
      """)

  @Flag(name: [.customShort("n"), .long], help: "List what is due, and do nothing.") var dryRun = false

  @OptionGroup(title: "Budget") var points: PointOptions
  @OptionGroup var common: CommonOptions

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let store = try wiring.jobStore()
    var due = try await store.due(at: wiring.time.microsecondsSinceEpoch)
    if wiring.chosenAccount != nil {
      let account = try await wiring.account().did
      due.removeAll { $0.job.account != account }
    }
    var status = ExitStatus.success
    try await common.printing(JobRow.self, environment: wiring.environment) { printer in
      for one in due {
        // A run that is interrupted does not throw, and the writes of the journal are not cancelled.
        try Task.checkCancellation()
        if !dryRun { status = status.orGraver(try await end(one, wiring, store)) }
        for row in try await wiring.rows([try await store.summary(of: one.job.id)], in: store) {
          try printer.print(row)
        }
      }
    }
    if status != .success { throw CommandFault(status) }
  }

  /// One that is in the way of nobody else: a fault is told, and the next one has its turn.
  private func end(_ due: DueJob, _ wiring: Wiring, _ store: any JobStore) async throws -> ExitStatus {
    do {
      let account = try await wiring.account(of: due.job)
      let run = JobRun(
        wiring: wiring, points: points, engine: wiring.engine(of: account, journal: store))
      return try await run.end(due)
    } catch {
      guard let fault = CommandFault(error), fault.status != .interrupted else { throw error }
      if let said = fault.said { StandardError.say(said.about("job \(due.job.id)", "job", .job(due.job.id))) }
      return fault.status
    }
  }
}
