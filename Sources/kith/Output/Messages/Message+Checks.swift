// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

/// What is said of questions: what they came to, and what they have cost.
extension Message {
  /// - Parameter first: why the first of them was not learned.
  static func lookupsFailed(_ count: Int, of rows: Int, first: Message?) -> Message {
    let text = first?.text ?? ""
    return Message(
      .error, .lookupsFailed,
      count == 1
        ? "1 of \(rows) could not be learned: \(text)"
        : "\(count) of \(rows) could not be learned, the first because of this: \(text)",
      ["count": .integer(count), "rows": .integer(rows), "first": first?.cause ?? .null])
  }

  static func notFound(_ input: String, _ reason: String) -> Message {
    Message(.error, .notFound, "\(input): \(reason)", ["input": .string(input)])
  }

  static func checkSummary(
    _ summary: CheckSummary, _ cost: CallCost, elapsed: Duration, isWhole: Bool
  ) -> Message {
    let counts = summary.counts
    let words =
      counts.map { "\($0.value) \($0.words)" } + (summary.notListable.map { ["\($0) not listable"] } ?? [])
    let end =
      summary.stopsEarly
      ? "; stopped at the first error" : isWhole ? "" : "; interrupted, so that the rest was not asked"
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

  static let listingContinued = Message(
    .warning, .listingContinued,
    "follows that the AppView leaves out are missing: a listing that goes on with --cursor reads no repository"
  )

  /// What could not be listed, and what was added; nil where the AppView has listed all.
  ///
  /// - Parameters:
  ///   - name: what a person calls whose listing it is, where the listing names a DID.
  ///   - areGiven: whether the accounts were named, and not listed.
  init?(
    _ coverage: ListingCoverage, of listing: ActorListing, named name: String? = nil, areGiven: Bool = false
  ) {
    let odd = coverage.added + coverage.missing + coverage.malformed.count + coverage.unrecorded
    guard odd + coverage.undecided > 0 || coverage.fault != nil || coverage.isLowerBound else { return nil }
    let words = areGiven ? "the named accounts" : "\(listing.kind) of \(name ?? listing.name)"
    let whole = coverage.counted.map { "\($0) \(words)" } ?? words
    var parts: [String] = []
    if coverage.added > 0 {
      let classes = [
        (coverage.hidden, "behind a block or not indexed yet"),
        (coverage.gone, "suspended, deactivated or deleted"),
        (coverage.unnamed, "without a name"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      parts.append(
        "\(coverage.added) of \(whole) are left out by the AppView and come from the \(listing.records): "
          + classes.joined(separator: ", "))
    }
    if coverage.missing > 0 {
      let why: String =
        switch listing {
        case .follows where coverage.fault == nil: "they are counted, and no record names them"
        // So many are not hidden for a reason of their own.
        case _ where coverage.missing > max(20, (coverage.counted ?? 0) / 3):
          "they are counted, and the listing ended without them: it may not be whole"
        case .follows, .followers, .members, .blocks, .mutes, .blockers:
          "the AppView leaves out accounts that are suspended, deactivated or deleted, and those behind a block"
        }
      parts.append("\(coverage.missing) of \(whole) cannot be listed: \(why)")
    }
    if coverage.malformed.count > 0 {
      parts.append("\(Self.counted(coverage.malformed.count, "record")) of them cannot be read")
    }
    if coverage.unrecorded > 0 {
      parts.append(
        "\(coverage.unrecorded) of \(words) are shown by the AppView and were not found in the repository")
    }
    if coverage.undecided > 0 {
      parts.append("of \(coverage.undecided) it is not known whether they are wanted")
    }
    if coverage.unconfirmed > 0 {
      parts.append("of \(coverage.unconfirmed) more that the index names the AppView does not say so")
    }
    if coverage.isLowerBound {
      parts.append("these are the \(words) that the index has seen; there may be more")
    }
    let cause = coverage.fault.map { CommandFault($0)?.said ?? Message(other: $0) }
    if let cause { parts.append("of \(words) not all was learned: \(cause.text)") }
    self.init(
      coverage.missing + coverage.undecided > 0 || cause != nil ? .warning : .note, .listingCoverage,
      parts.joined(separator: "; "),
      [
        "listing": .string(areGiven ? "given" : listing.kind), "of": .string(listing.name),
        "counted": .number(coverage.counted),
        "listed": .integer(coverage.listed), "hidden": .integer(coverage.hidden),
        "gone": .integer(coverage.gone), "unnamed": .integer(coverage.unnamed),
        "unrecorded": .integer(coverage.unrecorded), "unreadable": .integer(coverage.malformed.count),
        "notListable": .integer(coverage.missing), "undecided": .integer(coverage.undecided),
        "unconfirmed": .integer(coverage.unconfirmed), "isLowerBound": .bool(coverage.isLowerBound),
        "cause": cause?.cause ?? .null,
      ])
  }

  /// What a listing came to.
  ///
  /// - Parameters:
  ///   - isAtEnd: whether it was read to its end, so that something can be said of the whole.
  ///   - cursor: where it can go on; nil where it was read to its end, or cannot be gone on with.
  static func listingSummary(
    _ count: Int, _ coverage: ListingCoverage, isAtEnd: Bool, cursor: String?, _ cost: CallCost,
    elapsed: Duration,
    isWhole: Bool
  ) -> Message {
    let more = cursor.map { "; go on with --cursor \($0.quotedForShell)" } ?? ""
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
      "no AppView lists all who block \(actor): name whom to ask about by --followers-of, --follows-of, --list, --from "
        + "FILE or - for stdin, or an index of backlinks by --index or KITH_INDEX",
      ["actor": .string(actor)])
  }

  static let onListNeedsIndex = Message(
    .error, .onListNeedsIndex,
    "no AppView tells on which lists of others somebody is: name an index of backlinks by --index or KITH_INDEX"
  )

  static func invalidPredicate(_ text: String, _ error: PredicateError) -> Message {
    Message(
      .error, .invalidPredicate, "--where: \"\(text.shortened(toBytes: 256))\" goes wrong at \(error)",
      ["input": .string(text.shortened(toBytes: 256)), "position": .integer(error.position)])
  }

  /// - Parameter cause: what failed; nil where nobody knows.
  static func predicateUndecided(_ count: Int, _ cause: Message?) -> Message {
    Message(
      cause == nil ? .warning : .error, .predicateUndecided,
      cause.map {
        "of \(counted(count, "account")) it could not be learned whether --where holds: \($0.text)"
      }
        ?? "of \(counted(count, "account")) it is not known whether --where holds; nothing is done to them",
      ["count": .integer(count), "cause": cause?.cause ?? .null])
  }

  static func mutesOfAnother(_ actor: ATIdentifier) -> Message {
    Message(
      .error, .mutesOfAnother, "\(actor): mutes are private, and told only to whoever made them",
      ["actor": .text(actor)])
  }

  static func mutesUnknown(_ target: String) -> Message {
    Message(
      .error, .mutesUnknown, "\(target): it could not be learned whether you mute it",
      ["target": .string(target)])
  }

  static func mutesNotLearned(_ error: RelationshipError) -> Message {
    let cause = Message(error)
    return Message(
      .warning, .mutesNotLearned, "mutes were not learned: \(cause.text)", ["cause": cause.cause])
  }

  static func invalidSince(_ text: String) -> Message {
    Message(
      .error, .invalidSince,
      "--since takes a date such as 2026-01-31, or a span such as 7d, not \"\(text.shortened(toBytes: 64))\"",
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

  /// - Parameter targets: how many rows it was for, where that is counted.
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

  /// What the numbers of a plan rely on.
  static func planAssumptions(_ plan: CostPlan, concurrency: Int) -> Message {
    let words: [(CostPlan.Assumptions, String)] = [
      (.existence, "each account that the AppView does not show costs one call more"),
      (.input, "targets that come slowly, or again after hundreds of others, cost more calls"),
      (.counts, "an upper bound from counts, which may lag behind"),
      (.facts, "what already holds costs nothing"),
      (.mutes, "who mutes more than 100 accounts, or a list, costs more calls"),
      (.uncounted, "no server counts what the other steps depend on"),
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
    let basis = "assumes \(concurrency) calls at once, \(trip) s a call and no rate limit"
    return Message(
      .note, .planAssumptions, ([basis] + notes).joined(separator: "; "),
      [
        "concurrency": .integer(concurrency), "callMilliseconds": .milliseconds(CostPlan.roundTrip),
        "isEstimate": .bool(!plan.assumptions.isEmpty), "points": .integer(plan.points),
      ])
  }

  static func answerTooLarge(_ method: String, mebibytes: Int) -> Message {
    Message(
      .error, .answerTooLarge, "\(method): the answer has more than \(mebibytes) MiB, too much to be held",
      ["method": .string(method), "mebibytes": .integer(mebibytes)])
  }

  static func circularCursor(_ method: String) -> Message {
    Message(
      .error, .circularCursor, "\(method): the server gave the same cursor twice; the pages would not end",
      ["method": .string(method)])
  }

  static func counted(_ number: Int, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}

extension CallCost {
  /// Bytes in both directions.
  fileprivate var bytes: Int { bytesSent + bytesReceived }
}

extension ActorListing {
  fileprivate var kind: String {
    switch self {
    case .follows: "follows"
    case .followers: "followers"
    case .members: "members"
    case .blocks: "blocks"
    case .mutes: "mutes"
    case .blockers: "blockers"
    }
  }

  /// What tells of those whom the AppView leaves out.
  fileprivate var records: String { if case .followers = self { "index" } else { "repository" } }

  /// Whose it is.
  fileprivate var name: String {
    switch self {
    case .follows(let actor), .followers(let actor), .blocks(let actor), .mutes(let actor),
      .blockers(let actor):
      actor.description
    case .members(let list): list.description
    }
  }
}

extension String {
  /// As one word of a shell, whatever a server has put into it.
  fileprivate var quotedForShell: String {
    let isPlain = utf8.allSatisfy { byte in
      let scalar = Unicode.Scalar(byte)
      return "._:@%+,-/=".unicodeScalars.contains(scalar) || (byte < 0x80 && Character(scalar).isLetter)
        || (0x30...0x39).contains(byte)
    }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
