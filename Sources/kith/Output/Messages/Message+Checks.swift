// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships

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
    let nouns = [
      "followedBy": "followed by", "notFound": "not found",
      "errors": summary.errors == 1 ? "error" : "errors",
    ]
    let words =
      counts.map { "\($0.value) \(nouns[$0.field] ?? $0.field)" }
      + (summary.notListable.map { ["\($0) not listable"] } ?? [])
    let end =
      summary.stopsEarly
      ? "; stopped at the first error" : isWhole ? "" : "; interrupted before the rest was checked"
    return Message(
      level: .summary, code: Code.checkSummary.rawValue,
      text: "\(summary.rows) checked: \(words.joined(separator: ", ")); "
        + "\(counted(cost.calls, "call")), \(DurationText.seconds(elapsed)) s\(end)",
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
    let more =
      cursor.map { "; continue with \($0.asValue(of: "--cursor"))" }
      ?? (isAtEnd || !isWhole ? "" : "; there are more")
    let notListable = isAtEnd && coverage.missing > 0 ? ", \(coverage.missing) not listable" : ""
    return Message(
      .summary, .listingSummary,
      "\(count) listed\(notListable); \(counted(cost.calls, "call")), \(DurationText.seconds(elapsed)) s"
        + (isWhole ? "" : "; interrupted") + more,
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

  static func graphsCompared(
    _ outcome: CompareGraphs.Outcome, _ first: FollowGraph, _ second: FollowGraph
  ) -> Message {
    Message(
      .summary, .graphsCompared,
      "\(outcome.inBoth) in both, \(outcome.onlyInFirst) only in \(first.name), "
        + "\(outcome.onlyInSecond) only in \(second.name)",
      [
        "both": .integer(outcome.inBoth), "first": .string(first.name),
        "onlyInFirst": .integer(outcome.onlyInFirst),
        "second": .string(second.name), "onlyInSecond": .integer(outcome.onlyInSecond),
      ])
  }

  static func appViewsCompared(
    _ outcome: CompareAppViews.Outcome, _ first: ServiceURL, _ other: ServiceURL
  ) -> Message {
    let differences = outcome.firstIsRight + outcome.otherIsRight + outcome.unsettled
    var text = "\(counted(outcome.compared, "account")) compared"
    if differences == 0 {
      // Comparing nothing does not show that they agree.
      if outcome.compared > 0 { text += ": no differences" }
    } else {
      text +=
        ", \(counted(differences, "difference")): \(first) is right about \(outcome.firstIsRight), "
        + "\(other) about \(outcome.otherIsRight); \(outcome.unsettled) not settled"
    }
    if outcome.isPart { text += "; of your follows, blocks and followers, only the newest were compared" }
    return Message(
      .summary, .appViewsCompared, text,
      [
        "compared": .integer(outcome.compared), "isPart": .bool(outcome.isPart),
        "first": .string("\(first)"), "firstIsRight": .integer(outcome.firstIsRight),
        "other": .string("\(other)"), "otherIsRight": .integer(outcome.otherIsRight),
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

  static func graphNeedsIndex(_ graph: FollowGraph, _ actor: ATIdentifier) -> Message {
    Message(
      .error, .graphNeedsIndex,
      "no AppView lists who follows \(actor) in the graph of \(graph.name): name a backlink index with --index or "
        + "KITH_INDEX", ["graph": .string(graph.name), "actor": .string(actor.description)])
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
  static let mostNamed = 3

  /// The first ``mostNamed`` names, and how many there are besides: `alice.test, bob.test, carol.test and 4 more`.
  ///
  /// - Parameter names: all of them, or the first ones.
  static func named(_ names: some Collection<String>, of number: Int) -> String {
    let first = names.prefix(mostNamed)
    let more = number > first.count ? " and \(number - first.count) more" : ""
    return first.joined(separator: ", ") + more
  }

  static func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  /// The numbers that are not zero, each with its words.
  static func counted(_ numbers: [(Int, String)]) -> String {
    numbers.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
  }
}

extension ListingReport {
  /// What could not be listed and what was added; nil if the AppView has listed everything.
  var words: (level: Message.Level, text: String)? {
    let odd =
      coverage.added + coverage.missing + coverage.malformed.count + coverage.unrecorded
      + coverage.otherSubjects + coverage.aboutItself
    guard
      odd + coverage.undecided + coverage.unseen + coverage.deleted > 0 || coverage.fault != nil
        || coverage.isLowerBound
    else { return nil }
    let words =
      areGiven
      ? "the named accounts" : "\(listing.app)\(listing.kind) of \(owner?.description ?? listing.name)"
    let whole = coverage.counted.map { "\($0) \(words)" } ?? words
    var parts: [String] = []
    if coverage.added > 0, case .graph = listing {
      parts.append(
        "\(coverage.gone) of the \(words) are not shown by the AppView (suspended, deactivated, deleted or without a Bluesky profile)"
      )
    } else if coverage.added > 0 {
      let classes = [
        (coverage.hidden, "hidden by a block or not indexed yet"),
        (coverage.gone, "not shown (suspended, deactivated, deleted or not indexed)"),
        (coverage.unnamed, "without a profile"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      // Only a listing that was read to its end, without a fault, leaves accounts out.
      let isCutShort = coverage.isListingCutShort || coverage.unreadable > 0
      let origin =
        isCutShort
        ? "read from the \(listing.records) only"
        : "left out by the AppView and read from the \(listing.records)"
      parts.append(
        "\(coverage.added) of \(whole) were \(origin)"
          + (isCutShort ? "" : ": " + classes.joined(separator: ", ")))
    }
    if coverage.missing > 0 {
      let why: String =
        switch listing {
        case _ where coverage.unreadable > 0 || coverage.isListingCutShort:
          "they are counted, but not all of the AppView's answer can be read"
        case .follows where coverage.fault == nil: "they are counted, but no record names them"
        // Individual reasons do not explain this many.
        case _ where coverage.missing > max(20, (coverage.counted ?? 0) / 3):
          "they are counted, but the listing ended without them and may be incomplete"
        case .follows, .followers, .members, .blocks, .mutes, .blockers, .graph, .reactions:
          "the AppView leaves out accounts that are suspended, deactivated, deleted or hidden by a block"
        }
      parts.append("\(coverage.missing) of \(whole) cannot be listed: \(why)")
    }
    if coverage.malformed.count > 0 {
      parts.append("\(Message.counted(coverage.malformed.count, "record")) cannot be read")
    }
    if coverage.unrecorded > 0 {
      parts.append(
        "of \(words), \(coverage.unrecorded) are shown by the AppView but not found in the repository")
    }
    if coverage.undecided > 0 {
      parts.append("\(coverage.undecided) could not be matched against the filter")
    }
    if coverage.otherSubjects > 0 {
      parts.append("\(coverage.otherSubjects) more records are about something else than an account")
    }
    if coverage.aboutItself > 0, let graph = listing.graph {
      let records = Message.counted(coverage.aboutItself, "more record")
      let verb = coverage.aboutItself == 1 ? "is" : "are"
      parts.append(
        owner.map {
          "\(records) \(verb) about yourself; remove with kith unfollow \($0) --graph \(graph.name)"
        }
          ?? "\(records) \(verb) about the account itself")
    }
    if coverage.unseen > 0, case .graph = listing {
      parts.append(
        "\(coverage.unseen) cannot be asked: their servers do not show them (suspended, deactivated or deleted)"
      )
    } else if coverage.unseen > 0 {
      parts.append(
        "\(coverage.unseen) are not shown by the AppView, so it is unknown which accounts they follow or block"
      )
    }
    if coverage.deleted > 0 {
      parts.append("\(coverage.deleted) are deleted; find them with kith doctor")
    }
    if coverage.unconfirmed > 0 {
      parts.append("\(coverage.unconfirmed) more are in the index but not confirmed by the AppView")
    }
    if coverage.isLowerBound {
      parts.append("the \(words) are those that the index has seen; there may be more")
    }
    if let fault = coverage.fault {
      parts.append("some details of \(words) could not be read: \(Message(any: fault).text)")
    }
    let isIncomplete = coverage.missing + coverage.undecided + coverage.unseen + coverage.deleted > 0
    return (isIncomplete || coverage.fault != nil ? .warning : .note, parts.joined(separator: "; "))
  }
}

extension CallCost {
  /// Bytes in both directions.
  fileprivate var bytes: Int { bytesSent + bytesReceived }
}

extension ActorListing {
  /// The app whose graph it is, with a space; empty for Bluesky's.
  fileprivate var app: String { if case .graph(let listing) = self { "\(listing.graph.name) " } else { "" } }

  /// The source of the accounts that the AppView leaves out.
  fileprivate var records: String { if case .followers = self { "index" } else { "repository" } }
}
