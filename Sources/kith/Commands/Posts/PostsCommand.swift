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

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let names = try await posts.names(in: process)
    try await ChangeRun(context: context, options: options).finish(DeletePosts(names))
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
}

/// A command that likes or reposts posts, or takes that back.
protocol ReactionCommand: RowCommand {
  static var reaction: Reaction { get }
  static var isTakenBack: Bool { get }

  var posts: PostArguments { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }
}

extension ReactionCommand {
  static var isTakenBack: Bool { false }

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let names = try await posts.names(in: process)
    try await ChangeRun(context: context, options: options)
      .finish(ReactToPosts(Self.reaction, takingBack: Self.isTakenBack, names))
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

  static let reaction = Reaction.repost
  static let isTakenBack = true

  @OptionGroup var posts: PostArguments
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions
}
