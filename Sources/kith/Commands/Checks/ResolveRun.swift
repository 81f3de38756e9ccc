// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// Resolves accounts in batches and prints each batch as soon as it is complete.
struct ResolveRun {
  /// Handles for four calls: enough for parallel document requests, few enough for constant memory and early
  /// rows.
  private static let batchSize = 4 * HandleResolver.batchSize

  let wiring: Wiring

  private var common: CommonOptions { wiring.common }
  private var environment: [String: String] { wiring.environment }

  /// - Returns: the combined status of the rows.
  /// - Throws: if the names cannot be read or the output cannot be written; the rows so far are still
  ///   printed.
  func print(_ questions: TargetStream) async throws -> ExitStatus {
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("resolved")
    var printer = try common.printer(of: IdentityRow.self, environment: environment, progress: progress)
    let counting = progress.isShown ? Task { await questions.count.map(progress.expect) } : nil
    defer { counting?.cancel() }
    var verdict = ResolveVerdict()
    var invalid = InvalidNames()
    var failure: (any Error)?
    do {
      var iterator = questions.makeAsyncIterator()
      var rest: ArraySlice<RelationshipQuestion> = []
      while case let batch = try await Self.batch(from: &iterator, after: &rest), !batch.isEmpty {
        for row in try await rows(for: batch) {
          if let fault = row.fault, fault.status == .badInput, let said = fault.said {
            invalid.add(said) { progress.say($0) }
          }
          verdict.add(row)
          try printer.print(row)
          progress.advance()
        }
        try printer.flush()
      }
    } catch {
      failure = error
    }
    progress.end()
    if (failure as? CommandFault)?.status != .readerGone { try printer.finish() }
    if let rest = invalid.rest { StandardError.say(rest) }
    if verdict.count > 0 || (failure == nil && !common.quiet), let complaint = verdict.complaint {
      StandardError.say(complaint)
    }
    if common.verbose { cost.say() }
    if let failure { throw CommandFault.ending(with: failure, after: verdict.status) }
    return verdict.status
  }

  /// - Parameter rest: what was read but is not in a batch yet.
  private static func batch(
    from questions: inout TargetStream.Iterator, after rest: inout ArraySlice<RelationshipQuestion>
  ) async throws -> ArraySlice<RelationshipQuestion> {
    while rest.count < batchSize, let more = try await questions.next() { rest += more }
    defer { rest = rest.dropFirst(batchSize) }
    return rest.prefix(batchSize)
  }

  private func rows(for questions: ArraySlice<RelationshipQuestion>) async throws -> [IdentityRow] {
    var outcomes = try await wiring.identities.identities(of: questions.compactMap(\.identifier))
      .makeIterator()
    return questions.compactMap { question in
      let input = question.input ?? question.identifier?.description ?? ""
      if case .unreadable(let error) = question.target {
        return IdentityRow(input: input, unreadable: error)
      }
      return outcomes.next().map { IdentityRow(input: input, outcome: $0) }
    }
  }
}

extension RelationshipQuestion {
  /// The named account; nil for an invalid name.
  fileprivate var identifier: ATIdentifier? {
    switch target {
    case .did(let did): .did(did)
    case .handle(let handle): .handle(handle)
    case .unreadable: nil
    }
  }
}
