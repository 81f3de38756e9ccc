// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWording

/// Messages about checks and listings: results and costs.
extension Message {
  /// - Parameter first: the error of the first failed lookup.
  static func lookupsFailed(_ count: Int, of rows: Int, first: Message?) -> Message {
    let text = first?.text ?? ""
    return Message(
      .error, .lookupsFailed,
      count == 1
        ? "1 of \(rows) lookups failed: \(text)"
        : "\(count) of \(rows) lookups failed; first error: \(text)",
      ["count": .integer(count), "rows": .integer(rows), "first": first?.cause ?? .null])
  }

  static func notFound(_ input: String, _ reason: String) -> Message {
    Message(.error, .notFound, "\(input): \(reason)", ["input": .string(input)])
  }

  static func checkSummary(
    _ summary: CheckSummary, _ cost: CallCost, elapsed: Duration, isWhole: Bool
  ) -> Message {
    let counts = summary.counts
    return Message(
      level: .summary, code: Code.checkSummary.rawValue,
      text: Wording.command(cost, elapsed: elapsed).checked(summary, isWhole: isWhole),
      fields: [OutputField("rows", .integer(summary.rows))]
        + counts.map { OutputField($0.field, .integer($0.value)) }
        + [
          OutputField("notListable", .number(summary.notListable)),
          OutputField("calls", .integer(cost.calls)), OutputField("milliseconds", .milliseconds(elapsed)),
          OutputField("stopsEarly", .bool(summary.stopsEarly)), OutputField("interrupted", .bool(!isWhole)),
        ])
  }

  /// The summary of a check; nil for no rows, and for a single row, which says everything itself.
  ///
  /// - Parameter isWhole: false if the run was interrupted before its last row.
  static func summary(
    of check: CheckSummary, _ cost: CallCost, elapsed: Duration, isWhole: Bool = true
  ) -> Message? {
    guard check.rows > (isWhole && !check.stopsEarly ? 1 : 0) else { return nil }
    return .checkSummary(check, cost, elapsed: elapsed, isWhole: isWhole)
  }

  static let listingContinued = Message(
    .warning, .listingContinued,
    "follows that the AppView leaves out are missing: a listing continued with --cursor reads no repository"
  )

  /// Sums up a listing, or the last of several.
  ///
  /// - Parameters:
  ///   - rows: the rows of all.
  ///   - isCut: whether others were left out, because there are enough rows.
  static func listingSummary(
    _ outcome: ListAccounts.Outcome, rows: Int, isCut: Bool = false, _ cost: CallCost, elapsed: Duration
  ) -> Message {
    let (count, coverage, isAtEnd) = (rows, outcome.report.coverage, outcome.isAtEnd && !isCut)
    let cursor = outcome.cursor?.description
    let isWhole = !(outcome.rows.interruption is CancellationError)
    return Message(
      .summary, .listingSummary,
      Wording.command(cost, elapsed: elapsed).listed(outcome, rows: rows, isCut: isCut),
      [
        "rows": .integer(count), "counted": .number(isAtEnd ? coverage.counted : nil),
        "notListable": .number(isAtEnd ? coverage.missing : nil), "undecided": .integer(coverage.undecided),
        "cursor": .text(cursor), "calls": .integer(cost.calls),
        "milliseconds": .milliseconds(elapsed), "interrupted": .bool(!isWhole),
      ])
  }

  static func blockersNeedIndex(_ actor: String) -> Message {
    Message(
      .error, .blockersNeedIndex,
      "no AppView lists all accounts that block \(actor): name the accounts to check with --followers-of, "
        + "--follows-of, --list, --from FILE or - for stdin, or name a backlink index with --index or KITH_INDEX",
      ["actor": .string(actor)])
  }

  static func graphsCompared(_ outcome: CompareGraphs.Outcome) -> Message {
    Message(
      .summary, .graphsCompared, outcome.sentence,
      [
        "both": .integer(outcome.inBoth), "first": .string(outcome.first.name),
        "onlyInFirst": .integer(outcome.onlyInFirst),
        "second": .string(outcome.second.name), "onlyInSecond": .integer(outcome.onlyInSecond),
      ])
  }

  static func appViewsCompared(_ outcome: CompareAppViews.Outcome) -> Message {
    Message(
      .summary, .appViewsCompared, outcome.sentence,
      [
        "compared": .integer(outcome.compared), "isPart": .bool(outcome.isPart),
        "first": .text(outcome.first), "firstIsRight": .integer(outcome.firstIsRight),
        "other": .text(outcome.other), "otherIsRight": .integer(outcome.otherIsRight),
        "unsettled": .integer(outcome.unsettled),
      ])
  }

  static func appViewFailed(_ count: Int, _ fault: (appview: ServiceURL, error: any Error)) -> Message {
    let cause = Message(any: fault.error)
    return Message(
      .error, .appViewFailed,
      "\(counted(count, "account")) not compared; first error of \(fault.appview): \(cause.text)",
      ["count": .integer(count), "appview": .string("\(fault.appview)"), "first": cause.cause])
  }

  static func namesNotCompared(_ count: Int, _ first: (name: String, reason: String)) -> Message {
    Message(
      .error, .namesNotCompared,
      "\(counted(count, "name")) not compared; the first is \(first.name): \(first.reason)",
      ["count": .integer(count), "first": .string(first.name), "reason": .string(first.reason)])
  }

  static func cursorOfAnotherGraph(_ graph: FollowGraph) -> Message {
    Message(
      .error, .cursorOfAnotherGraph,
      "--cursor: only Bluesky's graph has pages, and \(graph.name) is read whole; omit --cursor",
      ["graph": .string(graph.name)])
  }

  static let emptyFilter = Message(
    .error, .emptyFilter, "--filter: the text is empty; omit the option to list all")

  /// - Parameters:
  ///   - count: the number of accounts.
  ///   - first: the names of the first of them.
  static func hiddenTargets(_ count: Int, _ first: [String]) -> Message {
    let names = first.joined(separator: ", ") + (count > first.count ? ", …" : "")
    return Message(
      .note, .hiddenTargets,
      "\(names): not shown by the AppView, which may not know which accounts \(count == 1 ? "it follows or blocks" : "they follow or block")",
      ["count": .integer(count)])
  }

  static func invalidSince(_ text: String) -> Message {
    Message(
      .error, .invalidSince,
      "--since must be a date such as 2026-01-31 or a time span such as 7d, not \"\(text.shortened(toBytes: 64))\"",
      ["input": .string(text.shortened(toBytes: 64))])
  }

  // MARK: Costs

  static func methodCost(_ method: String, _ cost: CallCost) -> Message {
    let each = cost.time / max(1, cost.calls)
    return Message(
      .summary, .methodCost,
      "\(method): \(counted(cost.calls, "call")), \(cost.bytes) bytes, \(DurationText.seconds(each)) s each",
      [
        "method": .string(method), "calls": .integer(cost.calls), "bytes": .integer(cost.bytes),
        "milliseconds": .milliseconds(cost.time),
      ])
  }

  /// - Parameter targets: the number of rows; nil if not counted.
  static func totalCost(_ cost: CallCost, targets: Int?, elapsed: Duration) -> Message {
    Message(
      .summary, .totalCost,
      "total: \(counted(cost.calls, "call")) (\(cost.retries) repeated), "
        + (targets.map { counted($0, "target") + ", " } ?? "")
        + "\(cost.bytes) bytes (\(cost.bytesSent) sent, \(cost.bytesReceived) received), "
        + "\(DurationText.seconds(elapsed)) s, \(counted(cost.connectionsOpened, "connection"))",
      [
        "calls": .integer(cost.calls), "retries": .integer(cost.retries), "targets": .number(targets),
        "bytes": .integer(cost.bytes), "bytesSent": .integer(cost.bytesSent),
        "bytesReceived": .integer(cost.bytesReceived), "milliseconds": .milliseconds(elapsed),
        "connections": .integer(cost.connectionsOpened),
      ])
  }

  /// The assumptions behind the numbers of a plan.
  static func planAssumptions(_ plan: CostPlan, concurrency: Int) -> Message {
    let words: [(CostPlan.Assumptions, String)] = [
      (.existence, "each account that the AppView does not show costs one extra call"),
      (.input, "targets that arrive slowly, or again after hundreds of others, cost more calls"),
      (.counts, "an upper bound from counts, which may be outdated"),
      (.facts, "what already holds costs nothing"),
      (.mutes, "more than 100 muted accounts, or a muted list, cost more calls"),
      (.uncounted, "the size of a listing is not known in advance"),
    ]
    let points = counted(plan.points, "point")
    let wait: String? =
      switch plan.wait {
      case nil: "the write budget never allows \(points)"
      case .zero?: plan.points > 0 ? "the write budget has room for \(points) now" : nil
      case let wait?: "the write budget has room for \(points) within \(DurationText.span(wait))"
      }
    let notes = words.filter { plan.assumptions.contains($0.0) }.map(\.1) + [wait].compactMap(\.self)
    let trip = DurationText.seconds(CostPlan.roundTrip)
    let basis = "estimate: \(concurrency) parallel calls, \(trip) s each, no rate limit"
    return Message(
      .note, .planAssumptions, ([basis] + notes).joined(separator: "; "),
      [
        "concurrency": .integer(concurrency), "callMilliseconds": .milliseconds(CostPlan.roundTrip),
        "isEstimate": .bool(!plan.assumptions.isEmpty), "points": .integer(plan.points),
      ])
  }

  /// The most that a question or an error names.
  static let mostNamed = Counted.mostNames

  /// The first ``mostNamed`` names, and how many there are besides: `alice.test, bob.test, carol.test and 4 more`.
  ///
  /// - Parameter names: all of them, or the first ones.
  static func named(_ names: some Collection<String>, of number: Int) -> String {
    Counted.names(names, of: number)
  }

  static func counted(_ number: Int, _ noun: String) -> String { Counted.words(number, noun) }

  /// The numbers that are not zero, each with its words.
  static func counted(_ numbers: [(Int, String)]) -> String { Counted.words(numbers) }
}

extension CallCost {
  /// Bytes in both directions.
  fileprivate var bytes: Int { bytesSent + bytesReceived }
}
