// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

/// Asks, prints each answer as it comes, and says afterwards what it cost.
struct CheckRun {
  let wiring: Wiring
  let common: CommonOptions
  let environment: [String: String]

  /// - Parameter companions: targets' handles that are known before the targets are read.
  /// - Returns: the status that the answers amount to.
  /// - Throws: when the actor cannot be answered for, the targets cannot be read or the output not written;
  ///   the rows so far are printed all the same.
  func print(
    service: FollowRelationshipService, actor: ATIdentifier, companions: [Handle], targets: TargetStream,
    verdict: CheckVerdict, printsRows: Bool
  ) async throws -> ExitStatus {
    let cost = CostReport(wiring.meter)
    var verdict = verdict
    let progress = common.progress("checked", environment: environment)
    var printer = common.printer(of: RelationshipRow.self, environment: environment, progress: progress)
    printer.isLive = targets.readsStdin
    var failure: (any Error)?
    do {
      let actor = try await wiring.identities.did(of: actor, with: companions)
      var answers = service.answers(of: actor, to: targets).makeAsyncIterator()
      while let answer = try await answers.next() {
        verdict.add(answer)
        if case .failed(let error) = answer.state, error.code == .invalidInput {
          progress.clear()
          StandardError.say("\(error)")
        }
        if printsRows { try printer.print(RelationshipRow(actor: actor, answer: answer)) }
        if answers.mustWait { try printer.flush() }
        progress.advance()
      }
    } catch {
      failure = error
    }
    progress.clear()
    if printsRows, (failure as? CommandFault)?.status != .readerGone { try printer.finish() }
    if verdict.count > 0 || (failure == nil && (!common.quiet || verdict.status != .success)),
      let complaint = verdict.complaint
    {
      StandardError.say(complaint)
    }
    if common.verbose { cost.say() }
    if let failure { throw failure }
    return verdict.status
  }
}
