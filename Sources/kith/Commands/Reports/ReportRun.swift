// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

/// Sends a report, offers to block, and prints the results.
struct ReportRun {
  let context: CommandContext
  let options: ChangeOptions
  /// Whether to block the account without asking.
  let blocks: Bool

  private var common: CommonOptions { context.common }

  /// - Returns: the combined status of the report and the block.
  func perform(_ report: ReportToModerators) async throws -> ExitStatus {
    let cost = CostReport(context)
    var report = report
    report.isDryRun = options.dryRun
    report.confirm = nil
    if isAsked { report.confirm = { try await context.confirmation.offer($0.words) ?? true } }
    let outcome = try await report.run(in: context.workspace, Reporter { _ in })
    if outcome.isDeclined { throw CommandFault(OperationError.declined) }
    var row = outcome.row
    var status = self.report(outcome, about: &row)
    var failure: (any Error)?
    if !options.dryRun {
      // The report is printed even if the block fails; otherwise the user would send it again.
      do {
        if try await isToBeBlocked(outcome) {
          let end = try await block(outcome)
          row.isBlocked = end == .success
          status = status.orMoreSevere(end)
        }
      } catch {
        failure = error
      }
    }
    try context.print(row)
    if common.verbose { cost.report() }
    if let failure { throw failure }
    return status
  }

  /// Whether to ask on the terminal.
  private var isAsked: Bool { !options.yes && context.confirmation.isPossible }

  /// Says what became of the report.
  ///
  /// - Parameter row: receives the words for an error.
  private func report(_ outcome: ReportToModerators.Outcome, about row: inout ReportRow) -> ExitStatus {
    if let receipt = row.receipt, !common.quiet {
      context.report(.reported(row.input, number: receipt.id))
    }
    guard let error = outcome.failure else { return .success }
    let fault = CommandFault(error)
    let message = row.state == .inDoubt ? .reportInDoubt(error) : fault.message ?? Message(error)
    row.reason = message.text
    context.report(message.about(row.input, "input", .string(row.input)))
    return fault.status
  }

  // MARK: Blocking

  private func isToBeBlocked(_ outcome: ReportToModerators.Outcome) async throws -> Bool {
    if blocks { return true }
    guard outcome.row.state == .reported, !common.quiet else { return false }
    if let name = outcome.name, let answer = try await context.confirmation.offer("Block \(name) as well?") {
      return answer
    }
    context.report(.blockHint(outcome.owner))
    return false
  }

  private func block(_ outcome: ReportToModerators.Outcome) async throws -> ExitStatus {
    var run = ChangeRun(context: context, options: options, verb: BlockCommand.verb, choice: .named)
    run.printsRows = false
    let request = RequestedChange(outcome.row.input, .success(.block(outcome.owner)))
    do { return try await run.perform([request], as: outcome.account) } catch let error
      as UnrecordedChangeError
    {
      // The report was sent, so the command must not be run again.
      context.report(.blockHint(outcome.owner))
      throw error.underlying
    }
  }
}

extension ReportToModerators.Question {
  /// The confirmation question.
  var words: String {
    let what =
      switch report.subject {
      case .account: name
      case .record(let uri, _): "\(uri) of \(name)"
      }
    return "Report \(what) as \(report.reason.rawValue)? A report cannot be undone."
  }
}
