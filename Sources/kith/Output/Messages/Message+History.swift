// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithOperations
import KithRelationships
import KithStore

/// Messages about snapshots, the changes between them, and the files that hold them.
extension Message {
  /// What an operation says about snapshots; nil for any other note.
  init?(ofSnapshot note: Note) {
    switch note {
    case .plainDirectory(let directory):
      self.init(
        .warning, note,
        "the directory \(directory) uses plain http: others on the network can change why an account counts as lost"
      )
    case .snapshotIncomplete(let snapshot, let unreadable):
      self.init(
        .warning, note,
        "snapshot \(snapshot.id) of \(snapshot.listing.sideText) lacks accounts: "
          + "\(Self.counted(unreadable, "record")) cannot be read")
    case .snapshotFailed(let snapshot, let error):
      self.init(
        .error, note,
        "snapshot \(snapshot.id) of \(snapshot.listing.sideText) failed and is ignored: "
          + Message(any: error).text, cause: error)
    default: return nil
    }
  }

  static func snapshotSummary(_ summary: SnapshotSummary, _ cost: CallCost, elapsed: Duration) -> Message {
    var parts = ["\(summary.gained) gained", "\(summary.lost) lost"]
    if summary.unconfirmed > 0 { parts.append("\(summary.unconfirmed) unconfirmed") }
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    return Message(
      .summary, .snapshotSummary,
      "\(counted(summary.taken, "snapshot")): \(parts.joined(separator: ", ")); "
        + "\(counted(cost.calls, "call")), \(DurationText.seconds(elapsed)) s",
      [
        "snapshots": .integer(summary.taken), "gained": .integer(summary.gained),
        "lost": .integer(summary.lost), "unconfirmed": .integer(summary.unconfirmed),
        "failed": .integer(summary.failed), "calls": .integer(cost.calls),
        "milliseconds": .milliseconds(elapsed),
      ])
  }

  static func historySummary(
    _ kinds: [HistoryChange.Kind: Int], _ causes: [LossCause: Int]
  ) -> Message {
    let sum = kinds.values.reduce(0, +)
    let words = HistoryChange.Kind.allCases.compactMap { kind in kinds[kind].map { "\($0) \(kind.rawValue)" }
    }
    let why = LossCause.allCases.compactMap { cause in causes[cause].map { "\($0) \(cause.rawValue)" } }
    let losses = why.isEmpty ? "" : " (\(why.joined(separator: ", ")))"
    return Message(
      level: .summary, code: Code.historySummary.rawValue,
      text: sum == 0 ? "no changes" : "\(counted(sum, "change")): \(words.joined(separator: ", "))\(losses)",
      fields: [OutputField("changes", .integer(sum))]
        + HistoryChange.Kind.allCases.map { OutputField($0.rawValue, .integer(kinds[$0] ?? 0)) }
        + LossCause.allCases.map { OutputField($0.rawValue, .integer(causes[$0] ?? 0)) })
  }

  /// - Parameter since: what first saw the account there; in the first snapshot, the start is unknown.
  static func present(_ account: String, _ listing: HistoryListing, since: Observation) -> Message {
    let time = Datetime(at: since.by)
    let moment = time.description.prefix(16).replacing("T", with: " ") + " UTC"
    let isBaseline = since.after == nil
    let words =
      switch (since.source, isBaseline) {
      case (_, true): "since the first snapshot (\(moment)) or longer"
      case (.snapshot, false): "and was first seen there at \(moment)"
      case (.event(let stream), false): "since \(moment), as \(stream) said"
      }
    return Message(
      .note, .present,
      "\(account) is in \(listing.sideText) \(words)",
      [
        "account": .string(account), "side": .string(listing.side.rawValue), "list": .text(listing.listURI),
        "since": .text(time), "isBaseline": .bool(isBaseline),
      ])
  }

  static func neverSeen(_ account: String) -> Message {
    Message(.note, .neverSeen, "\(account) is not in any snapshot", ["account": .string(account)])
  }

  // MARK: Examined accounts

  static func notExamined(_ part: AuditCoverage.Part, _ fault: any Error) -> Message {
    let cause = Message(any: fault)
    return Message(
      .error, .notExamined, "\(part.rawValue) not fully examined: \(cause.text)",
      ["part": .string(part.rawValue), "cause": cause.cause])
  }

  static func auditSummary(
    _ counts: [AuditFinding.Kind: Int], _ coverage: AuditCoverage, _ cost: CallCost, elapsed: Duration
  ) -> Message {
    let problems = counts.filter { $0.key.isProblem }.values.reduce(0, +)
    let told = counts.values.reduce(0, +) - problems
    let isWhole = coverage.faults.isEmpty
    let nothing = isWhole ? "no problems" : "no problems in the parts that could be examined"
    var parts = [problems == 0 ? nothing : counted(problems, "problem")]
    if !isWhole { parts.append("\(counted(coverage.faults.count, "part")) not fully examined") }
    if told > 0 { parts.append(counted(told, "note")) }
    if coverage.undecided > 0 {
      let cause = coverage.undecidedFault.map { Message(any: $0) }
      let why = cause.map { " (first: \($0.text))" } ?? ""
      parts.append("\(coverage.undecided) could not be decided\(why)")
    }
    if coverage.follows > 0 { parts.append("\(counted(coverage.follows, "follow")) read") }
    return Message(
      level: .summary, code: Code.auditSummary.rawValue,
      text: parts.joined(separator: ", ") + "; \(counted(cost.calls, "call")), "
        + "\(DurationText.seconds(elapsed)) s",
      fields: [
        OutputField("problems", .integer(problems)), OutputField("notes", .integer(told)),
        OutputField("undecided", .integer(coverage.undecided)),
        OutputField("notExamined", .integer(coverage.faults.count)),
        OutputField("follows", .integer(coverage.follows)),
      ]
        + AuditFinding.Kind.allCases.map { OutputField($0.rawValue, .integer(counts[$0] ?? 0)) } + [
          OutputField("calls", .integer(cost.calls)), OutputField("milliseconds", .milliseconds(elapsed)),
        ])
  }

  /// What findings of a kind mean, and what to do about them.
  ///
  /// - Parameter hidden: how many the table does not show.
  static func auditStep(_ kind: AuditFinding.Kind, _ count: Int, hidden: Int) -> Message {
    let fix = kind.isRepairable ? "; kith doctor --fix \(kind.rawValue) \(kind.repairWords)" : ""
    let more = hidden > 0 ? " (\(hidden) not shown: kith doctor --only \(kind.rawValue))" : ""
    return Message(
      .note, .auditStep, "\(kind.rawValue): \(count) \(kind.words(count))\(more)\(fix)",
      ["kind": .string(kind.rawValue), "count": .integer(count), "hidden": .integer(hidden)])
  }

  static let nothingFixed = Message(
    .note, .nothingFixed,
    "nothing was fixed: no problem of these kinds is proven; what could not be decided is left as it is")

  // MARK: Watched accounts

  /// When a watched account was observed last.
  static func observed(_ row: WatchRow, at now: Datetime) -> Message {
    let name = row.actor.actor.name(in: row.view)
    let last = row.snapshotAt.map { "last snapshot \(RelativeTimeText.relative(Datetime(at: $0), to: now))" }
    return Message(
      .note, .observed, "watched: \(name), \(last ?? "no snapshot yet: kith snapshot --watched")",
      [
        "did": .text(row.actor.actor),
        "snapshotAt": .text(row.snapshotAt.map { Datetime(at: $0).description }),
      ])
  }

  static func timerIsOff(_ timer: String) -> Message {
    Message(
      .note, .timerIsOff, "\(timer) is not active; start it with systemctl --user enable --now \(timer)",
      ["timer": .string(timer)])
  }

  static let noneWatched = Message(
    .note, .noneWatched, "no account is watched; add one with kith watch add ACCOUNT")

  static func watched(_ added: Int, known: Int) -> Message {
    Message(
      .note, .watched,
      "\(counted(added, "account")) added" + (known > 0 ? ", \(known) already watched" : ""),
      ["added": .integer(added), "known": .integer(known)])
  }

  static func unwatched(_ removed: Int, unknown: Int) -> Message {
    Message(
      .note, .unwatched,
      "\(counted(removed, "account")) removed" + (unknown > 0 ? ", \(unknown) not watched" : ""),
      ["removed": .integer(removed), "unknown": .integer(unknown)])
  }

  // MARK: Files

  static func noFiles(_ folder: String) -> Message {
    Message(.note, .noFiles, "\(folder) has no Kith files yet", ["folder": .string(folder)])
  }

  static let soundFiles = Message(.note, .soundFiles, "no damage found")

  static let damagedFiles = Message(
    .error, .damagedFiles,
    "a file is damaged; kith db restore FOLDER puts a backup made by kith db backup in its place"
  )

  static func backedUp(_ path: String) -> Message {
    Message(.note, .backedUp, "backup written to \(path)", ["file": .string(path)])
  }

  static func backupsRemoved(_ count: Int, from folder: String) -> Message {
    Message(
      .note, .backupsRemoved, "\(counted(count, "older backup")) removed from \(folder)",
      ["count": .integer(count), "folder": .string(folder)])
  }

  static func restored(_ file: StoreFile, from folder: String) -> Message {
    Message(
      .note, .restored, "\(file.name) restored from \(folder)",
      ["file": .string(file.name), "folder": .string(folder)])
  }

  /// - Parameters:
  ///   - open: how many jobs of a restored journal are not done.
  ///   - due: how many have changes whose time is over.
  static func restoredJobs(open: Int, due: Int) -> Message {
    Message(
      .note, .restoredJobs,
      "the restored journal has \(counted(open, "unfinished job")) (kith jobs) and \(counted(due, "job")) whose time is "
        + "over; nothing ends by itself until you run kith jobs due once on a terminal, where it asks, or with --yes",
      ["open": .integer(open), "due": .integer(due)])
  }

  static func noBackup(_ folder: String) -> Message {
    Message(
      .error, .noBackup,
      "\(folder): no backup here; name the folder that kith db backup wrote to", ["folder": .string(folder)])
  }

  static func vacuumed(_ file: StoreFile, from before: Int, to after: Int) -> Message {
    Message(
      .note, .vacuumed, "\(file.name): \(before) bytes before, \(after) bytes now",
      ["file": .string(file.name), "before": .integer(before), "after": .integer(after)])
  }

  static func historyPruned(_ count: Int) -> Message {
    Message(
      .note, .historyPruned, "\(counted(count, "interval")) removed",
      ["count": .integer(count)])
  }

  static func historyForgotten(_ count: Int, unknown: Int) -> Message {
    Message(
      .note, .historyForgotten,
      "snapshots of \(counted(count, "account")) removed" + (unknown > 0 ? ", \(unknown) not found" : ""),
      ["count": .integer(count), "unknown": .integer(unknown)])
  }
}

extension AuditFinding.Kind {
  /// What this number of findings of the kind is called.
  fileprivate func words(_ count: Int) -> String {
    let isOne = count == 1
    func follows(_ rest: String) -> String { "\(isOne ? "account" : "accounts") you follow \(rest)" }
    return switch self {
    case .duplicate: isOne ? "edge with several records" : "edges with several records"
    case .selfEdge: isOne ? "record about yourself" : "records about yourself"
    case .ghost:
      (isOne ? "follow" : "follows")
        + " shown by the AppView without a record of yours: nothing to delete here"
    case .unindexed:
      (isOne ? "follow" : "follows") + " of yours that the AppView does not show: unfollow and follow again"
    case .deleted: follows(isOne ? "is gone" : "are gone")
    case .suspended: follows(isOne ? "is suspended" : "are suspended")
    case .deactivated: follows("\(isOne ? "is" : "are") deactivated, and may come back")
    case .inactive: follows("did not change for long")
    case .blocker: follows(isOne ? "blocks you" : "block you")
    case .blocked: follows("although you block \(isOne ? "it" : "them")")
    case .deadListBlock: isOne ? "block of a list that is gone" : "blocks of lists that are gone"
    case .orphanMembers:
      isOne ? "list that is gone, with members left" : "lists that are gone, with members left"
    case .malformed:
      (isOne ? "record" : "records") + " that cannot be read: kith xrpc shows and deletes records"
    case .status: "with the status of your account: sign in to the app of your server"
    case .handle: "with your handle: check it in the settings of your app"
    case .pds: "with your server: sign in again if you have moved"
    case .clock: "with this machine's clock: set it, because records get its time"
    case .subscription: (isOne ? "list" : "lists") + " that you block or mute"
    case .onList: (isOne ? "list" : "lists") + " of others that you are on"
    }
  }

  /// What the repair does.
  fileprivate var repairWords: String {
    switch self {
    case .duplicate: "keeps the oldest record"
    case .selfEdge, .deadListBlock: "deletes \(self == .selfEdge ? "them" : "the blocks")"
    case .orphanMembers: "deletes their records"
    default: "unfollows them"
    }
  }
}
