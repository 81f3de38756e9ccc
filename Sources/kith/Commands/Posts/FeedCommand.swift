// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithPosts

/// `kith feed`: what others post, newest first.
struct FeedCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "feed",
    abstract: "Read what those you follow, your mutuals, your friends or others post, newest first.",
    discussion: """
      Posts with a block in either direction and those of accounts that you mute are left out, also where they are \
      reposted, replied to or quoted. The last line on stderr names the source (your timeline, the feed of a list, or \
      the feeds of accounts merged by date, a call each), what was left out, and the cursor for older posts. A server \
      may hide posts itself; these are not counted.

        kith feed
        kith feed --mutuals --since 1d --no-reposts
        kith feed --of alice.test --limit 5
        kith feed --segment regulars --json

      \(PostRow.help)
      """)

  @Flag(help: "Posts and reposts by you and the accounts you follow. The default.")
  var following = false

  @Flag(help: "What your mutuals post and repost.")
  var mutuals = false

  @Flag(help: "What your friends by consent post and repost (kith friends).")
  var friends = false

  @Option(
    help: ArgumentHelp(
      "Posts and replies of the members of a list: AT-URI, URL, or the name of one of yours. Without reposts.",
      valueName: "list"), completion: .ownList)
  var list: String?

  @Option(
    name: .customLong("of"),
    help: ArgumentHelp("What one account posts and reposts.", valueName: "account"), completion: .actor)
  var author: String?

  @Option(
    help: ArgumentHelp(
      "What your followers in a segment post and repost (kith segments).", valueName: "segment"),
    completion: .segment)
  var segment: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("List at most this many posts, up to 10000.", valueName: "n"))
  var limit = ReadFeed.usualLimit

  @Option(
    help: ArgumentHelp(
      "Continue an earlier feed of the same selection at the cursor that it printed.", valueName: "cursor"),
    transform: Self.cursor)
  var cursor: FeedCursor?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only posts since: a date (UTC), or a time span before now.", valueName: "date|span"))
  var since: String?

  @Flag(help: "Leave out replies.")
  var noReplies = false

  @Flag(help: "Leave out reposts.")
  var noReposts = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Read at most N mutuals, friends or followers, one call each.", valueName: "n"))
  var reach = ReadFeed.usualReach

  @Flag(help: .explain) var explain = false
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { explain ? PlanRow.self : PostRow.self }

  mutating func validate() throws {
    let named = [
      following ? "--following" : nil, mutuals ? "--mutuals" : nil, friends ? "--friends" : nil,
      list.map { _ in "--list" }, author.map { _ in "--of" }, segment.map { _ in "--segment" },
    ].compactMap(\.self)
    if named.count > 1 {
      throw ValidationError("\(named.joined(separator: " and ")) cannot be combined; name one of them.")
    }
    try limit.check(isIn: 1...10_000, for: "--limit")
    try reach.check(isIn: 1...100_000, for: "--reach")
  }

  private static func cursor(_ text: String) throws -> FeedCursor {
    guard let cursor = FeedCursor(text) else {
      throw ValidationError("use the cursor that kith feed printed, as a whole")
    }
    return cursor
  }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let since = try since.map { text throws(CommandFault) in
      try ListingOptions.moment(text, now: Datetime(at: context.time.instant))
    }
    var skipped: FeedItem.Kinds = []
    if noReplies { skipped.insert(.replies) }
    if noReposts { skipped.insert(.reposts) }
    let feed = ReadFeed(
      try await selection(context), limit: limit, reach: reach, skipping: skipped, since: since, from: cursor)
    if explain {
      return try context.print(try await feed.cost(in: context.workspace) { [context] in context.report($0) })
    }
    let cost = CostReport(context)
    let printer = try OperationPrinter<PostRow>(context, verb: "read")
    let outcome = try await feed.run(in: context.workspace, printer.reporter)
    try context.finish(
      printer, outcome, saying: common.quiet ? nil : .feedRead(outcome, of: feed.selection),
      cost)
  }

  private func selection(_ context: CommandContext) async throws -> ReadFeed.Selection {
    if mutuals { return .mutuals }
    if friends { return .friends }
    if let segment { return .segment(segment) }
    if let author { return .author(try await context.workspace.actor(named: author)) }
    if let list {
      let account = try await context.workspace.accountIfAny()
      let list = try await context.workspace.list(named: list, of: account)
      if let account, list.authority == .did(account.did), !common.quiet { context.report(.listIsPublic) }
      return .list(list)
    }
    return .following
  }
}
