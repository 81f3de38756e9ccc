// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithCore
import KithOperations
public import KithRelationships
import KithWriting

struct FriendsRequestCommand: FriendChangeCommand {
  static let configuration = CommandConfiguration(
    commandName: "request",
    abstract: "Send friend requests, or ask for permission to follow.",
    discussion: """
      A request is a public record: anyone can see your requests. There is one for each account; asking again \
      with another kind replaces it, and then an answer to the earlier one does not count. Kith respects an \
      account's policy on who may send requests. Several requests are shown and asked about.

        kith friends request carol.test
        kith friends request dave.test --kind follow --expires 30d
        kith friends request --from names.txt --dry-run

      \(ChangeRow.help)
      """)

  @OptionGroup(title: "Accounts") var actors: ActorArguments
  @OptionGroup(title: "Accounts") var sources: AccountSources

  @Option(help: "What to ask for: to be friends, or for permission to follow.") var kind = FriendRequest.Kind
    .friend

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long it can be accepted, such as 30d. Default: what your policy says, else no end.",
      valueName: "span"),
    transform: DurationOption.init(parsing:))
  var expires: DurationOption?

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  func kind(at now: Instant) -> FriendChanges.Kind {
    .request(FriendRequestDraft(kind, expiresAt: expires.map { Datetime(at: now + $0.duration) }))
  }
}

extension FriendRequest.Kind: ExpressibleByArgument {}
