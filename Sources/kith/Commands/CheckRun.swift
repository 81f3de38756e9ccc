// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

/// Asks, prints each answer as it comes, and says afterwards what it cost.
struct CheckRun {
  let wiring: Wiring
  let common: CommonOptions
  let environment: [String: String]

  /// - Returns: the status that the answers amount to.
  /// - Throws: when the actor cannot be answered for, the targets cannot be read or the output not written;
  ///   the rows so far are printed all the same.
  func print(
    service: FollowRelationshipService, actor: ATIdentifier, targets: TargetStream, verdict: CheckVerdict,
    printsRows: Bool
  ) async throws -> ExitStatus {
    let clock = ContinuousClock()
    let started = clock.now
    var verdict = verdict
    var progress = ProgressLine(
      isShown: StandardError.isTerminal && !common.quiet && !StandardOutput.isTerminal)
    var printer = RowPrinter<RelationshipRow>(
      format: common.outputFormat, palette: common.palette(environment))
    var failure: (any Error)?
    do {
      let actor = try await wiring.identities.did(of: actor)
      var answers = service.answers(of: actor, to: targets).makeAsyncIterator()
      while let answer = try await answers.next() {
        verdict.add(answer)
        if case .failed(let error) = answer.state, error.code == .invalidInput {
          progress.clear()
          StandardError.say("\(error)")
        }
        if printsRows { try printer.print(RelationshipRow(actor: actor, answer: answer)) }
        progress.advance()
        if answers.mustWait { try printer.flush() }
      }
    } catch {
      failure = error
    }
    progress.clear()
    if printsRows,
      failure as? CommandFault == nil || failure.map({ CommandFault($0)?.status != .readerGone }) == true
    {
      try printer.finish()
    }
    if let complaint = verdict.complaint { StandardError.say(complaint) }
    if common.verbose { StandardError.say(CostText.line(wiring.meter.cost, elapsed: clock.now - started)) }
    if let failure { throw failure }
    return verdict.status
  }
}
