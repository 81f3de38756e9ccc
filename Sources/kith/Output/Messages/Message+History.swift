// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithLocalHTTP
import KithOperations
import KithRelationships
import KithStore
import KithWording

/// Messages about snapshots, the changes between them, and the files that hold them.
extension Message {
  static func snapshotSummary(_ summary: SnapshotSummary, _ cost: CallCost, elapsed: Duration) -> Message {
    Message(
      .summary, .snapshotSummary, Wording.command(cost, elapsed: elapsed).taken(summary),
      [
        "snapshots": .integer(summary.taken), "gained": .integer(summary.gained),
        "lost": .integer(summary.lost), "unconfirmed": .integer(summary.unconfirmed),
        "failed": .integer(summary.failed), "calls": .integer(cost.calls),
        "milliseconds": .milliseconds(elapsed),
      ])
  }

  static func historySummary(_ outcome: ListChanges.Outcome) -> Message {
    let (kinds, causes) = (outcome.kinds, outcome.causes)
    let sum = kinds.values.reduce(0, +)
    return Message(
      level: .summary, code: Code.historySummary.rawValue,
      text: outcome.sentence(in: .command),
      fields: [OutputField("changes", .integer(sum))]
        + HistoryChange.Kind.allCases.map { OutputField($0.rawValue, .integer(kinds[$0] ?? 0)) }
        + LossCause.allCases.map { OutputField($0.rawValue, .integer(causes[$0] ?? 0)) })
  }

  static func liveSummary(_ outcome: FollowLive.Outcome) -> Message {
    Message(
      level: .summary, code: Code.liveSummary.rawValue, text: outcome.sentence(in: .command),
      fields: outcome.fields)
  }

  static func daemonSummary(_ outcome: RunDaemon.Outcome) -> Message {
    Message(
      level: .summary, code: Code.daemonSummary.rawValue, text: outcome.sentence(in: .command),
      fields: outcome.fields)
  }

  /// - Parameter process: its number, as its lock says; nil if it has ended meanwhile.
  static func daemonRuns(process: String?) -> Message {
    let number = process.flatMap(Int.init)
    return Message(
      .error, .daemonRuns,
      "a daemon of this user runs already" + (number.map { ", as process \($0)" } ?? "")
        + "; stop that one first",
      ["process": .number(number)])
  }

  static func daemonSocket(_ error: LocalHTTPError) -> Message {
    Message(
      .error, .daemonSocket, "\(error.subject): \(error.detail); set XDG_STATE_HOME to another folder",
      ["path": .string(error.subject)])
  }

  /// What the daemon says about itself.
  ///
  /// - Parameter isThere: whether its process lives.
  static func daemonState(
    _ state: Result<DaemonStatus, DaemonClient.Absence>, isThere: Bool, at now: Datetime
  ) -> Message {
    let (words, version): (String, String?) =
      switch state {
      case .success(let status): (status.words(at: now), status.version)
      case .failure(.none) where isThere: ("does not answer; the network is asked instead", nil)
      case .failure(.none): ("does not run any more, and was killed; kith daemon starts it again", nil)
      case .failure(.otherVersion(let version)):
        ("is version \(version), and not asked; restart it to use this version", version)
      case .failure(.otherAppView(let appview)):
        ("asks another AppView (\(appview)), so it is not asked", nil)
      }
    return Message(.note, .daemonState, "daemon: \(words)", ["version": .text(version)])
  }

  /// What a stream brings, whichever accounts are followed.
  static func streamTraffic(_ bytes: Int, of host: ServiceURL) -> Message {
    Message(
      .note, .streamTraffic,
      "the stream of \(host) brings about \((bytes + 500_000) / 1_000_000) MB a day, however many accounts are followed",
      ["bytes": .integer(bytes), "host": .text(host)])
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
      "\(account) is in \(listing.words) \(words)",
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
    return Message(
      level: .summary, code: Code.auditSummary.rawValue,
      text: Wording.command(cost, elapsed: elapsed).audited(counts, coverage),
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

  static func followedLive(_ row: StreamRow, at now: Datetime) -> Message {
    func relative(_ moment: Instant) -> String { RelativeTimeText.relative(Datetime(at: moment), to: now) }
    var parts = ["read up to \(relative(row.place))"]
    if let change = row.lastChange { parts.append("last change \(relative(change))") }
    if row.gaps > 0 { parts.append(Counted.words(row.gaps, "gap")) }
    if let since = row.unknownSince {
      parts.append("unknown since \(relative(since)), until kith live or kith snapshot --full has read all")
    }
    return Message(
      .note, .followedLive,
      "live: \(row.actor.name(in: row.view)) by \(row.host), \(parts.joined(separator: ", "))",
      [
        "did": .text(row.actor), "host": .string(row.host), "place": .text(Datetime(at: row.place)),
        "lastChange": .text(row.lastChange.map { Datetime(at: $0) }), "gaps": .integer(row.gaps),
        "unknownSince": .text(row.unknownSince.map { Datetime(at: $0) }),
      ])
  }

  static func timerIsOff(_ timer: String) -> Message {
    Message(
      .note, .timerIsOff, "\(timer) is not active; start it with systemctl --user enable --now \(timer)",
      ["timer": .string(timer)])
  }

  static let noneWatched = Message(
    .note, .noneWatched, "no account is watched; add one with kith watch add ACCOUNT")

  static func watched(_ outcome: WatchAccounts.Outcome) -> Message {
    Message(level: .note, code: Code.watched.rawValue, text: outcome.sentence, fields: outcome.fields)
  }

  static func unwatched(_ outcome: UnwatchAccounts.Outcome) -> Message {
    Message(level: .note, code: Code.unwatched.rawValue, text: outcome.sentence, fields: outcome.fields)
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

extension DaemonStatus {
  fileprivate func words(at now: Datetime) -> String {
    let accounts = Counted.words(watched, "account")
    if let behindSince {
      let since = RelativeTimeText.relative(behindSince, to: now)
      return "watches \(accounts), but is not up to date since \(since); the network is asked instead"
    }
    return "watches \(accounts)"
      + (place.map { ", read up to \(RelativeTimeText.relative($0, to: now))" } ?? "")
  }
}
