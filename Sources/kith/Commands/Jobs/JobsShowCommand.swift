// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithWriting

/// `kith jobs show`: shows the items of a job.
struct JobsShowCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show each item of a job.",
    discussion: """
      Fields of each row: verb, input, subject, state (done, unchanged, failed, pending, inDoubt, cancelled, \
      undone), writes, notes, job, error.
      """)

  @Argument(help: ArgumentHelp("Job number.", valueName: "job"), completion: .job) var job: JobID

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { ChangeRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let store = try wiring.workspace.jobStoreToRead()
    let job = try await store.job(job)
    try await wiring.check(job)
    var items = JobItems(of: job.id, in: store)
    try await common.printing(ChangeRow.self, environment: wiring.environment) { printer in
      while let item = try await items.next() { try printer.print(ChangeRow(item, of: job)) }
    }
  }
}

extension ChangeRow {
  /// The row of an item in the journal.
  init(_ item: JobItem, of job: Job) {
    self.init(
      verb: job.title, input: item.input, subject: item.step.subjectText(in: job.account),
      state: State(item.state),
      steps: [item.step], account: job.account, job: job.id, reason: item.state.reason)
  }
}
