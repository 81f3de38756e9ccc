// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// The post that accounts react to.
struct PostArgument: ParsableArguments {
  @Argument(help: ArgumentHelp("The post: AT-URI or URL of its page.", valueName: "post"))
  var name: String

  /// The accounts that have reacted to it.
  func reactions(_ reaction: PostReaction, _ context: CommandContext) async throws -> ListingQuery {
    ListingQuery(.reactions(reaction, to: try await context.workspace.post(named: name)))
  }
}

/// `kith likers`.
struct LikersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "likers",
    abstract: "List the accounts that like a post.",
    discussion: """
      Latest first, as the AppView lists them. --likers-of POST names the same accounts in other commands.

        kith likers https://bsky.app/profile/alice.test/post/3jui7kd54zh2y --relationship

      \(AccountViewRow.help)
      """)

  @OptionGroup var post: PostArgument

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    [try await post.reactions(.likes, context)]
  }
}

/// `kith reposters`.
struct RepostersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "reposters",
    abstract: "List the accounts that repost a post.",
    discussion: """
      As the AppView lists them. --reposters-of POST names the same accounts in other commands.

        kith reposters https://bsky.app/profile/alice.test/post/3jui7kd54zh2y --relationship

      \(AccountViewRow.help)
      """)

  @OptionGroup var post: PostArgument

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    [try await post.reactions(.reposts, context)]
  }
}

/// `kith quoters`.
struct QuotersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "quoters",
    abstract: "List the accounts that quote a post, each once.",
    discussion: """
      Latest first, as the AppView lists them. --quoters-of POST names the same accounts in other commands.

        kith quoters https://bsky.app/profile/alice.test/post/3jui7kd54zh2y --relationship

      \(AccountViewRow.help)
      """)

  @OptionGroup var post: PostArgument

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    [try await post.reactions(.quotes, context)]
  }
}

/// `kith repliers`.
struct RepliersCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "repliers",
    abstract: "List the accounts that answer a post, each once.",
    discussion: """
      Reads the direct replies that the AppView shows in the thread; what it leaves out is counted on stderr. \
      --repliers-of POST names the same accounts in other commands.

        kith repliers https://bsky.app/profile/alice.test/post/3jui7kd54zh2y --relationship

      \(AccountViewRow.help)
      """)

  @OptionGroup var post: PostArgument

  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    [try await post.reactions(.replies, context)]
  }
}
