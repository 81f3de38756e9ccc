// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithClient
import KithCore
import KithOperations
public import KithPosts

/// `kith notifications`: what the account is told of.
struct NotificationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "notifications",
    abstract: "Read your notifications, and choose which ones you get.",
    discussion: """
      Reading marks nothing as seen. --mark-seen does, in every app: it clears the badge on your phone, too.

        kith notifications --unread
        kith notifications --kind follow,mention --since 1d
        kith notifications --live
        kith notifications settings like repost --push off
        kith notifications subscribe carol.test
      """,
    subcommands: [
      NotificationsListCommand.self, NotificationsSettingsCommand.self, NotificationsSubscribeCommand.self,
    ], defaultSubcommand: NotificationsListCommand.self)
}

/// `kith notifications list`.
struct NotificationsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List your notifications, newest first.",
    discussion: """
      A table has one entry for likes, or reposts, of the same post. Those of accounts with a block in either \
      direction or that you mute are left out. The server leaves out some before it answers, without saying how many, \
      so its count of unread ones may be higher. Friend requests are not among them: see kith friends inbox.

      With --live the oldest comes first, and then each new notification, until Ctrl-C. The server is asked once a minute, and \
      after events of the network that concern your account, such as a follow. These come from a stream (KITH_JETSTREAM), which \
      brings about 850 MB a day; with a --kind without follow there is none. Nothing is recorded, so kith live can run beside it.

      \(NotificationRow.help)
      """)

  @Option(
    help: ArgumentHelp(
      "Only these kinds: like, repost, follow, mention, reply, quote, …; separated by commas.",
      valueName: "a,b,c"))
  var kind: String?

  @Flag(help: "Only those that are not marked as seen.")
  var unread = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only those since: a date (UTC), or a time span before now.", valueName: "date|span"))
  var since: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      List at most this many, up to 10000. Default: 50. With --live: end after this many, with those that are there; \
      default: 50 of these, then all that are new.
      """, valueName: "n"))
  var limit: Int?

  @Flag(help: "Then show each new notification, until Ctrl-C.")
  var live = false

  @Flag(
    inversion: .prefixedNo,
    help: "One row for likes, or reposts, of the same post. Default: in a table, but not in other formats.")
  var grouped: Bool?

  @Flag(
    help: """
      Then mark all notifications up to the newest one listed as seen, in every app and on your phone. If an unread one \
      is not listed, because of --kind, --since, --limit or its account, it marks nothing and exits with 1.
      """)
  var markSeen = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { NotificationRow.self }

  mutating func validate() throws {
    try limit?.check(isIn: 1...10_000, for: "--limit")
    for (other, isGiven) in [("--mark-seen", markSeen), ("--grouped", grouped == true)] where live && isGiven
    {
      throw ValidationError("--live and \(other) cannot be combined; omit one of them.")
    }
    if let unknown = kinds.first(where: { !AccountNotification.Kind.known.contains($0) }) {
      throw ValidationError(
        "--kind: \"\(unknown)\" is not a kind of notification; use \(AccountNotification.Kind.known.joined(separator: ", "))."
      )
    }
  }

  private var kinds: [String] {
    (kind?.split(separator: ",", omittingEmptySubsequences: false) ?? []).map {
      $0.trimmingPrefix { $0 == " " }.description
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let since = try since.map { text throws(CommandFault) in
      try ListingOptions.moment(text, now: Datetime(at: context.time.instant))
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<NotificationRow>(
      context, verb: "read", isLive: live, countsRows: !live)
    let kinds = kinds.map { AccountNotification.Kind(rawValue: $0) }
    let outcome =
      if live {
        try await FollowNotifications(ofKinds: kinds, unread: unread, since: since, limit: limit).run(
          in: context.workspace, printer.reporter)
      } else {
        try await ReadNotifications(
          ofKinds: kinds, unread: unread, since: since, limit: limit ?? ReadNotifications.usualLimit,
          grouped: grouped ?? printer.isTable, markingSeen: markSeen
        ).run(in: context.workspace, printer.reporter)
      }
    let isSilent = common.quiet && outcome.unseen == nil && outcome.postsFault == nil
    try context.finish(
      printer, outcome, saying: isSilent ? nil : .notificationsRead(outcome), cost)
  }
}

/// `kith notifications settings`.
struct NotificationsSettingsCommand: RowCommand {
  /// A choice on the command line.
  enum Choice: String, ExpressibleByArgument, CaseIterable {
    case on, off
  }

  static let configuration = CommandConfiguration(
    commandName: "settings",
    abstract: "Show or change which notifications you get.",
    discussion: """
      Without a choice it shows the settings. They are those of the Bluesky app. Settings that you do not name keep their values.

        kith notifications settings
        kith notifications settings like repost --push off
        kith notifications settings reply --include follows

      Fields of each row: kind, include (all, follows or accepted), list, push. Null where a kind has no such choice.
      """)

  @Argument(help: ArgumentHelp("Kinds, as the settings list them. Default: all.", valueName: "kind"))
  var kinds: [String] = []

  @Option(help: ArgumentHelp("Whose events count: all, follows or accepted.", valueName: "who"))
  var include: NotificationSetting.Audience?

  @Option(help: ArgumentHelp("Whether the list shows them: on or off.", valueName: "on|off"))
  var list: Choice?

  @Option(help: ArgumentHelp("Whether they are sent to your devices: on or off.", valueName: "on|off"))
  var push: Choice?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { NotificationSettingRow.self }

  mutating func validate() throws {
    if kinds.isEmpty, include != nil || list != nil || push != nil {
      throw ValidationError("name the kinds to change; kith notifications settings lists them")
    }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await context.print(
      ChangeNotificationSettings(
        of: kinds, audience: include, listed: list.map { $0 == .on }, pushed: push.map { $0 == .on }),
      verb: "read")
  }
}

extension NotificationSetting.Audience: ExpressibleByArgument {
  public init?(argument: String) {
    self.init(rawValue: argument)
    if !Self.known.contains(self) { return nil }
  }

  public static var allValueStrings: [String] { known.map(\.rawValue) }
}

/// `kith notifications subscribe`.
struct NotificationsSubscribeCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscribe",
    abstract: "Be told when accounts post, or list the accounts that you are told of.",
    discussion: """
        kith notifications subscribe
        kith notifications subscribe carol.test --replies
        kith notifications subscribe carol.test --off

      Fields of each row: did, handle, displayName, subscription (posts, posts-and-replies or none, after a change; \
      null in a list). Null if unknown.
      """)

  @Argument(
    help: ArgumentHelp("The accounts. Without any, the subscriptions are listed.", valueName: "account"),
    completion: .actor)
  var actors: [String] = []

  @Flag(help: "Also when they answer others.") var replies = false
  @Flag(help: "End the subscriptions.") var off = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { SubscriptionRow.self }

  mutating func validate() throws {
    if replies, off { throw ValidationError("--replies and --off cannot be combined; omit one of them.") }
    if actors.isEmpty, replies || off { throw ValidationError("name the accounts") }
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    var named: [ATIdentifier] = []
    for actor in actors { named.append(try await context.workspace.actor(named: actor)) }
    try await context.print(
      SubscribeToPosts(to: named, off ? .none : replies ? .postsAndReplies : .posts),
      verb: actors.isEmpty ? "read" : "changed", orSay: actors.isEmpty ? .noSubscriptions : nil)
  }
}
