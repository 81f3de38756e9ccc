// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithPosts
import KithRelationships
import KithWriting

/// `kith posts`: what is done with posts that exist.
struct PostsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "posts",
    abstract: "Delete posts of yours.",
    discussion: "kith post publishes one, kith feed --of reads those of an account.",
    subcommands: [PostsDeleteCommand.self])
}

/// `kith posts delete`.
struct PostsDeleteCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete posts of yours.",
    discussion: """
      Their reply and quote settings are deleted with them. Replies to them stay; the question counts those that the \
      AppView knows. kith undo publishes the posts again under the same AT-URIs, with their likes and replies: copies \
      of their pictures are kept here until the job is removed, at most 256 MiB in all, and the question counts the \
      pictures that cannot be kept. Others may have copies of a post.

        kith posts delete https://bsky.app/profile/alice.test/post/3jui7kd54zh2y
        kith feed --of me --no-reposts --format ndjson | kith posts delete -

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(
    name: "posts delete", participle: "deleted", isDestructive: true, noun: "post", imperative: "Delete",
    confirmationThreshold: 1)

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    var requests: [RequestedChange] = []
    for name in try await posts.names(in: process) {
      let post = try await context.workspace.post(named: name)
      requests.append(RequestedChange(name, .success(.posts(.delete(post)))))
    }
    guard !options.yes, !options.dryRun, !options.cost.explain else {
      return try await posts.carryOut(requests, Self.verb, options, context, as: account)
    }
    let named = requests.compactMap { request -> ATURI? in
      if case .posts(.delete(let post))? = try? request.change.get() { post } else { nil }
    }
    let replies = try await ReplyCounts(of: named, as: account)
    try await posts.carryOut(requests, Self.verb, options, context, as: account) { plan in
      let deleted = plan.changes.filter { !$0.steps.isEmpty }.compactMap { planned -> ATURI? in
        if case .posts(.delete(let post)) = planned.change { post } else { nil }
      }
      let lost = plan.unkeptFiles > 0 ? [UndoPreview.lost(plan.unkeptFiles)] : []
      return (replies.left(below: deleted).details(of: deleted.count) + lost).joined(separator: "; ")
    }
  }
}

/// Posts that are changed.
struct PostArguments: ParsableArguments {
  @Argument(
    help: ArgumentHelp(
      "Posts: AT-URIs or URLs of their pages; - reads them from stdin, one a line or rows of kith feed.",
      valueName: "post"))
  var named: [String]

  func validate() throws {
    if named.count(where: { $0 == "-" }) > 1 {
      throw ValidationError("stdin (-) can be read only once; omit the others.")
    }
  }

  /// The posts as they are named on the command line, and on stdin where that is named.
  func names(in process: RunContext) async throws -> [String] {
    var names: [String] = []
    for name in named { names += name == "-" ? try await PostNames.all(in: try process.file("-")) : [name] }
    return names
  }

  /// Shows what the changes cost, or makes them.
  ///
  /// - Parameter concern: what to say in the question about a plan; nil if it needs none.
  func carryOut(
    _ requests: [RequestedChange], _ verb: ChangeVerb, _ options: ChangeOptions, _ context: CommandContext,
    as account: AuthorizedAccount, saying concern: @escaping @Sendable (ChangePlan) -> String? = { _ in nil }
  ) async throws {
    if options.cost.explain {
      var estimate = try await context.estimate(options, as: account, reading: [])
      for change in requests.compactMap({ try? $0.change.get() }) { estimate.add(change) }
      return try context.print(try await estimate.plan())
    }
    var run = ChangeRun(context: context, options: options, verb: verb, choice: .named)
    run.concern = concern
    try await run.finish(requests, as: account)
  }
}

/// A command that likes or reposts posts, or takes that back.
protocol ReactionCommand: RowCommand {
  static var verb: ChangeVerb { get }
  static var reaction: Reaction { get }
  static var isTakenBack: Bool { get }

  var posts: PostArguments { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }
}

extension ReactionCommand {
  static var isTakenBack: Bool { false }

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    let reactions = try await PostReactions(
      Self.reaction, isTakenBack: Self.isTakenBack, to: try await posts.names(in: process), as: account,
      in: context.workspace)
    try await posts.carryOut(reactions.requests, Self.verb, options, context, as: account)
  }
}

/// `kith like`.
struct LikeCommand: ReactionCommand {
  static let configuration = CommandConfiguration(
    verb: "like",
    abstract: "Like posts.",
    discussion: """
      Likes are public. A post that you like already is left as it is.

        kith like https://bsky.app/profile/alice.test/post/3jui7kd54zh2y
        kith feed --friends --format ndjson | kith like -

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "like", participle: "liked", noun: "post")
  static let reaction = Reaction.like

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}

/// `kith unlike`.
struct UnlikeCommand: ReactionCommand {
  static let configuration = CommandConfiguration(
    verb: "unlike",
    abstract: "Take back likes of posts.",
    discussion: """
        kith unlike https://bsky.app/profile/alice.test/post/3jui7kd54zh2y

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "unlike", participle: "unliked", isDestructive: true, noun: "post")
  static let reaction = Reaction.like
  static let isTakenBack = true

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}

/// `kith repost`.
struct RepostCommand: ReactionCommand {
  static let configuration = CommandConfiguration(
    verb: "repost",
    abstract: "Repost posts: your followers see them.",
    discussion: """
        kith repost https://bsky.app/profile/alice.test/post/3jui7kd54zh2y

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "repost", participle: "reposted", noun: "post")
  static let reaction = Reaction.repost

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}

/// `kith unrepost`.
struct UnrepostCommand: ReactionCommand {
  static let configuration = CommandConfiguration(
    verb: "unrepost",
    abstract: "Take back reposts of posts.",
    discussion: """
        kith unrepost https://bsky.app/profile/alice.test/post/3jui7kd54zh2y

      \(ChangeRow.help)
      """)

  static let verb = ChangeVerb(name: "unrepost", participle: "unreposted", isDestructive: true, noun: "post")
  static let reaction = Reaction.repost
  static let isTakenBack = true

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}
