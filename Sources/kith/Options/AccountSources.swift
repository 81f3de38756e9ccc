// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithRelationships

/// Options that name accounts by listings.
struct AccountSources: ParsableArguments {
  /// A listing of the signed-in account.
  enum Own: String, EnumerableFlag, CustomStringConvertible {
    case followers, following, mutuals
    case notFollowingBack = "not-following-back"
    case notFollowedBack = "not-followed-back"
    case blocks, mutes

    /// Said here, because to print a value without it, all conformances are looked through several times.
    var description: String { rawValue }

    static func name(for value: Own) -> NameSpecification { .customLong(value.rawValue) }

    static func help(for value: Own) -> ArgumentHelp? {
      switch value {
      case .followers: "Your followers."
      case .following: "The accounts you follow."
      case .mutuals: "Your mutuals: you follow each other."
      case .notFollowingBack: "Accounts you follow that do not follow you back."
      case .notFollowedBack: "Followers you do not follow back."
      case .blocks: "The accounts you block."
      case .mutes: "The accounts you mute."
      }
    }
  }

  @Option(
    help: ArgumentHelp("The accounts that this account follows. May be repeated.", valueName: "account"),
    completion: .actor)
  var followsOf: [String] = []

  @Option(
    help: ArgumentHelp("The followers of this account. May be repeated.", valueName: "account"),
    completion: .actor)
  var followersOf: [String] = []

  @Option(
    help: ArgumentHelp(
      "The members of a list: AT-URI, URL, or the name of a list of yours. May be repeated.",
      valueName: "list"), completion: .ownList)
  var list: [String] = []

  @Option(
    help: ArgumentHelp(
      "The accounts you follow in this app: bluesky, tangled, grain, spark, cosmik, weaver, or an NSID. May be repeated.",
      valueName: "graph"), completion: .graph)
  var followingIn: [FollowGraph] = []

  @Option(
    help: ArgumentHelp(
      "The accounts that a starter pack recommends: AT-URI, URL, or OWNER/NAME. May be repeated.",
      valueName: "pack"))
  var pack: [String] = []

  @Option(
    help: ArgumentHelp(
      "Followers of this account that you follow. May be repeated.", valueName: "account"),
    completion: .actor)
  var knownFollowersOf: [String] = []

  @Option(help: ArgumentHelp("Who likes this post: AT-URI or URL. May be repeated.", valueName: "post"))
  var likersOf: [String] = []

  @Option(help: ArgumentHelp("Who reposts this post. May be repeated.", valueName: "post"))
  var repostersOf: [String] = []

  @Option(help: ArgumentHelp("Who quotes this post. May be repeated.", valueName: "post"))
  var quotersOf: [String] = []

  @Option(
    help: ArgumentHelp(
      "Accounts that reply to this post in its thread. May be repeated.", valueName: "post"))
  var repliersOf: [String] = []

  @Option(help: ArgumentHelp("What kith people search finds. May be repeated.", valueName: "text"))
  var search: [String] = []

  @Option(
    help: ArgumentHelp(
      "What the AppView calls similar to this account. May be repeated.", valueName: "account"),
    completion: .actor)
  var similarTo: [String] = []

  @Option(help: "What kith people finds for you. May be repeated.")
  var people: [Found] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Use only the first N results of --search, --similar-to and --people. Default: 25.", valueName: "n"))
  var first: Int?

  /// What `kith people` finds for the signed-in account.
  enum Found: String, ExpressibleByArgument, CaseIterable {
    case suggested, popular, nearby, recent, recommend

    // What ArgumentParser does as well, but by types that it looks up among all of the program.
    static var allValueStrings: [String] { allCases.map { $0.rawValue } }
    static var allValueDescriptions: [String: String] { [:] }

    var source: FindPeople.Source {
      switch self {
      case .suggested: .suggested
      case .popular: .popular
      case .nearby: .nearby
      case .recent: .recent
      case .recommend: .recommended
      }
    }
  }

  @Flag var own: [Own] = []

  var isEmpty: Bool {
    followsOf.isEmpty && followersOf.isEmpty && list.isEmpty && followingIn.isEmpty && own.isEmpty
      && !findsPeople && pack.isEmpty && knownFollowersOf.isEmpty && reactions.allSatisfy(\.posts.isEmpty)
  }

  /// Whether people have to be found.
  var findsPeople: Bool { !(search.isEmpty && similarTo.isEmpty && people.isEmpty) }

  mutating func validate() throws {
    try first?.check(isIn: 1...1_000, for: "--first")
    if first != nil, !findsPeople {
      throw ValidationError("--first needs --search, --similar-to or --people.")
    }
    if search.contains(where: { $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("--search: the text is empty; name a part of a handle or name.")
    }
  }

  /// The posts of each kind of reaction.
  var reactions: [(reaction: PostReaction, posts: [String])] {
    [(.likes, likersOf), (.reposts, repostersOf), (.quotes, quotersOf), (.replies, repliersOf)]
  }
}
