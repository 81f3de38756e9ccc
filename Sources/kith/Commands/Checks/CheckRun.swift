// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// Checks targets, prints each answer as it arrives, and prints a summary and the cost at the end.
struct CheckRun {
  let wiring: Wiring
  let printsRows: Bool
  /// Whether the first failed lookup ends the run.
  let failsFast: Bool
  /// Whether to look up names that no listing contains.
  let wantsNames: Bool

  private var common: CommonOptions { wiring.common }
  private var environment: [String: String] { wiring.environment }

  /// - Parameter companions: handles of targets that are known before the targets are read.
  /// - Returns: the status of all answers.
  /// - Throws: if the actor cannot be resolved, the targets cannot be read or the output cannot be written;
  ///   the rows so far are still printed.
  func print(
    service: FollowRelationshipService, actor: ATIdentifier, companions: [Handle],
    named targets: TargetStream,
    listings queries: [ListingQuery], verdict: CheckVerdict
  ) async throws -> ExitStatus {
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("checked")
    // How many accounts a listing has is known at its end.
    let counting =
      progress.isShown && queries.isEmpty ? Task { await targets.count.map(progress.expect) } : nil
    defer { counting?.cancel() }
    var printer = try common.printer(of: RelationshipRow.self, environment: environment, progress: progress)
    printer.isLive = targets.readsStdin
    var names = wantsNames && printsRows ? nameLookup(progress) : nil
    var verdict = verdict
    var summary = CheckSummary()
    var invalid = InvalidNames()
    let listings = PosixMutex<[(kind: ActorListing, coverage: ListingCoverage)]>([])
    var failure: (any Error)?
    do {
      let actor = try await wiring.rememberedIdentities.did(of: actor, with: companions)
      let sources =
        [.names(targets.asked(about: actor))] + queries.map { AccountSelection.Source.listing($0) }
      let questions = wiring.selector(remembering: true).questions(sources) { event in
        if case .listed(let listing, let coverage) = event {
          listings.withLock { $0.append((listing, coverage)) }
        }
      }
      var answers = service.answers(of: actor, to: questions).makeAsyncIterator()
      while let answer = try await answers.next() {
        verdict.add(answer)
        if verdict.open.count >= Self.mostOpen { try await settle(&verdict) }
        summary.add(answer)
        progress.advance()
        let fault = answer.fault
        if let fault, fault.code == .invalidInput { invalid.add(Message(fault)) { progress.say($0) } }
        if printsRows {
          let row = RelationshipRow(actor: actor, answer: answer)
          if names == nil { try printer.print(row) } else { names?.append(row) }
          if names?.isFull == true { try await print(&names, to: &printer) }
        }
        if failsFast, fault != nil {
          summary.stopsEarly = true
          break
        }
        if answers.mustWait {
          if targets.areTyped { try await print(&names, to: &printer) }
          try printer.flush()
        }
      }
      try await settle(&verdict)
    } catch {
      failure = error
    }
    progress.end()
    let readerIsGone = (failure as? CommandFault)?.status == .readerGone
    if printsRows, !readerIsGone {
      try await print(&names, to: &printer)
      try printer.finish()
      if Task.isCancelled, failure == nil { failure = CancellationError() }
    }
    if let rest = invalid.rest { StandardError.say(rest) }
    for (kind, coverage) in listings.withLock(\.self) {
      summary.listings.append(coverage)
      let name = (try? await wiring.accountIfAny())?.name(in: kind)
      common.tell(coverage, of: kind, named: name)
      // An undecided account is not a "no", and neither is one that cannot be read.
      if coverage.undecided + coverage.unreadable > 0, let fault = coverage.fault {
        failure = failure ?? fault
      }
    }
    if verdict.hidden.count > 0, !common.quiet {
      StandardError.say(.hiddenTargets(verdict.hidden.count, verdict.hidden.first))
    }
    if verdict.count > 0 || (failure == nil && (!common.quiet || verdict.status != .success)),
      let complaint = verdict.count == 0 ? targets.absence : verdict.complaint
    {
      StandardError.say(complaint)
    }
    if !common.quiet, !readerIsGone,
      let line = summary.message(cost.cost, elapsed: cost.elapsed, isWhole: !(failure is CancellationError))
    {
      StandardError.say(line)
    }
    if common.verbose { cost.say(targets: verdict.count) }
    if let failure { throw CommandFault.ending(with: failure, after: verdict.status) }
    return verdict.status
  }
}

extension CheckRun {
  /// Several concurrent calls of 25.
  private static let mostOpen = 8 * AccountViews.batchSize

  /// Finds out whether the AppView shows the accounts whose missing edges would decide.
  private func settle(_ verdict: inout CheckVerdict) async throws {
    let accounts = Array(Set(verdict.open.compactMap(\.target)))
    guard !accounts.isEmpty else { return }
    verdict.settle(try await AccountViews(client: wiring.appview).outcomes(of: accounts))
  }

  private func nameLookup(_ progress: ProgressLine) -> NameLookup {
    NameLookup(AccountViews(client: wiring.appview), concurrency: wiring.concurrency) { progress.say($0) }
  }

  /// Prints the rows that are waiting for names.
  private func print(_ names: inout NameLookup?, to printer: inout RowPrinter<RelationshipRow>) async throws {
    for row in await names?.take() ?? [] { try printer.print(row) }
  }
}

extension RelationshipAnswer {
  /// The error of a failed lookup.
  fileprivate var fault: RelationshipError? {
    if case .failed(let error) = state { error } else { nil }
  }
}
