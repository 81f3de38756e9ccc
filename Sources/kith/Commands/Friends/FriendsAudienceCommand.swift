// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

struct FriendsAudienceCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "audience",
    abstract: "Keep a list of yours equal to your friends by consent.",
    discussion: """
      Adds friends who are not on the list, and removes members who are not friends; accounts that \
      could not be checked stay. Other apps can use the list, for a feed or for who may reply. Lists are public.

        kith friends audience Friends --dry-run
        kith friends audience Friends --yes

      \(ChangeRow.help)
      """)

  @Argument(help: "The list, by its name, AT-URI or URL.", completion: .ownList) var list: String

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    try await ChangeRun(context: context, options: options).finish(KeepFriendList(list))
  }
}
