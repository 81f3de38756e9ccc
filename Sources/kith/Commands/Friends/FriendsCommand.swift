// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

struct FriendsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "friends",
    abstract: "Ask accounts to be friends, answer requests, and list friends.",
    discussion: """
      Two accounts are friends if one has asked and the other one has accepted. A request is a public record in \
      your repository, and an acceptance is one in theirs. Others cannot tell a declined request from one that \
      was not seen. Other apps do not read these records yet; docs/FRIENDS.md says how they work.

        kith friends request carol.test
        kith friends inbox
        kith friends accept dave.test
        kith friends
      """,
    subcommands: [
      FriendsListCommand.self, FriendsRequestCommand.self, FriendsInboxCommand.self, FriendsSentCommand.self,
      FriendsAcceptCommand.self, FriendsDeclineCommand.self, FriendsCancelCommand.self,
      FriendsRemoveCommand.self, FriendsPolicyCommand.self, FriendsSyncCommand.self,
      FriendsAudienceCommand.self,
    ],
    defaultSubcommand: FriendsListCommand.self)
}
