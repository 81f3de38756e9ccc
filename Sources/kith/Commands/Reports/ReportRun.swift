// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// Asks for confirmation, sends a report, offers to block, and prints the results.
struct ReportRun {
  let wiring: Wiring
  let options: ChangeOptions
  let account: AuthorizedAccount
  /// Whether to block the account without asking.
  let blocks: Bool
  /// The reported account, as the user named it.
  let named: ATIdentifier

  private var common: CommonOptions { wiring.common }

  /// - Returns: the combined status of the report and the block.
  func perform(_ planned: ReportRow, about owner: DID) async throws -> ExitStatus {
    let cost = CostReport(wiring.meter)
    var row = planned
    var status = ExitStatus.success
    var failure: (any Error)?
    if !options.dryRun {
      let name = isAsked ? try await name(of: owner) : ""
      if isAsked { try await Confirmation.requestIfPossible(row.question(about: name)) }
      status = try await send(&row)
      // The report is printed even if the block fails; otherwise the user would send it again.
      do {
        if try await isToBeBlocked(owner, named: name, after: row) {
          let outcome = try await block(owner, named: row.input)
          row.isBlocked = outcome == .success
          status = status.orMoreSevere(outcome)
        }
      } catch {
        failure = error
      }
    }
    try common.print(row, environment: wiring.environment)
    if common.verbose { cost.say() }
    if let failure { throw failure }
    return status
  }

  /// Whether to ask on the terminal.
  private var isAsked: Bool { !options.yes && Confirmation.isPossible }

  /// The account's handle, for questions; its DID if it has no verified handle.
  private func name(of owner: DID) async throws -> String {
    if case .handle(let handle) = named { return "\(handle)" }
    do {
      let identity = try await wiring.identities.identity(of: .did(owner))
      guard let handle = identity.handle, identity.handleIsProven == true else { return "\(owner)" }
      return "\(handle)"
    } catch is IdentityError {
      return "\(owner)"
    }
  }

  private func send(_ row: inout ReportRow) async throws -> ExitStatus {
    do {
      let receipt = try await ReportClient(pds: account.pds, to: row.service).send(row.report)
      (row.state, row.receipt) = (.reported, receipt)
      if !common.quiet { StandardError.say(.reported(row.input, number: receipt.id)) }
      return .success
    } catch let error as RepositoryError {
      let fault = CommandFault(error)
      let isInDoubt = error.code == .inDoubt
      let said = isInDoubt ? .reportInDoubt(error) : fault.said ?? Message(error)
      row.state = isInDoubt ? .inDoubt : .failed
      row.reason = said.text
      StandardError.say(said.about(row.input, "input", .string(row.input)))
      return fault.status
    }
  }

  // MARK: Blocking

  private func isToBeBlocked(
    _ owner: DID, named name: String, after row: ReportRow
  ) async throws -> Bool {
    if blocks { return true }
    guard row.state == .reported, !common.quiet else { return false }
    if isAsked, let answer = try await Confirmation.offer("Block \(name) as well?") { return answer }
    StandardError.say(.blockHint(owner))
    return false
  }

  private func block(_ owner: DID, named input: String) async throws -> ExitStatus {
    var run = ChangeRun(wiring: wiring, options: options, verb: BlockCommand.verb)
    run.printsRows = false
    let request = RequestedChange(input, .success(.block(owner)))
    do { return try await run.perform([request], as: account) } catch let error as UnrecordedChangeError {
      // The report was sent, so the command must not be run again.
      StandardError.say(.blockHint(owner))
      throw error.underlying
    }
  }
}
