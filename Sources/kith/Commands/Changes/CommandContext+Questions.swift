// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWording
import KithWriting

extension CommandContext {
  /// Answers what an operation asks, on the terminal.
  ///
  /// - Throws: ``CommandFault``: `usage` without a terminal if the operation cannot go on without an answer, and `no` if
  ///   the user declines then.
  func answer(_ question: Question) async throws -> Bool {
    switch question {
    case .change, .longList:
      try await confirmation.require(Wording.command.sentence(question), or: "look with --dry-run first")
      return true
    case .undo(let summary, _):
      try await confirmation.require(
        Wording.command.sentence(question), or: "see what they are with kith jobs show \(summary.job.id)")
      return true
    case .endRestored:
      try await confirmation.require(Wording.command.sentence(question))
      return true
    case .requestInstead, .statements, .report:
      return try await confirmation.offer(Wording.command.sentence(question)) ?? false
    case .blockReported:
      return common.quiet ? false : try await confirmation.offer(Wording.command.sentence(question)) ?? false
    case .signInElsewhere(let contradiction):
      let (place, before) = (contradiction.target, contradiction.before)
      let isAsked = process.standardError.isTerminal
      if isAsked { report(.accountChanged(place, before: before, .warning)) }
      guard isAsked, let isMeant = try await confirmation.offer(Wording.command.sentence(question)) else {
        throw CommandFault(.notAllowed, .accountChanged(place, before: before, .error))
      }
      return isMeant
    }
  }

  /// Shows what is planned, and asks below it.
  ///
  /// - Parameter alternative: what to suggest besides `--yes` without a terminal.
  /// - Returns: whether the plan is where the rows are.
  /// - Throws: ``CommandFault`` `usage` without a terminal, which then shows nothing; `no` if the user declines.
  func answer(
    _ question: PlannedQuestion, _ printer: OperationPrinter<ChangeRow>, or alternative: String
  ) async throws -> Bool {
    if case .unseenRequests(let unseen, let now)? = question.concern, !confirmation.isPossible {
      throw CommandFault(.usage, .requestsUnseen(unseen, at: now))
    }
    let isShown = confirmation.isPossible
    let rows = isShown ? question.rows : Array(question.rows.prefix(Message.mostNamed))
    let named = try await named(rows, asking: true).map(\.withHints)
    let areTogether = isShown ? try printer.show(named) : false
    let changed = named.filter { !$0.steps.isEmpty }
    if isShown, question.plan.affected > changed.count {
      report(.planContinues(question.plan.affected - changed.count))
    }
    if let warning = question.plan.warning { report(Message(warning)) }
    try await confirmation.require(Wording.command.sentence(question, showing: changed), or: alternative)
    return areTogether
  }
}
