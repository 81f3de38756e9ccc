// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithRelationships

/// Options that name accounts by listings.
struct AccountSources: ParsableArguments {
  /// A listing of the signed-in account.
  enum Own: String, EnumerableFlag {
    case followers, following, mutuals
    case notFollowingBack = "not-following-back"
    case notFollowedBack = "not-followed-back"
    case blocks, mutes

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
      valueName: "graph"), completion: .list(FollowGraph.known.map(\.name)))
  var followingIn: [FollowGraph] = []

  @Flag var own: [Own] = []

  var isEmpty: Bool {
    followsOf.isEmpty && followersOf.isEmpty && list.isEmpty && followingIn.isEmpty && own.isEmpty
  }
}
