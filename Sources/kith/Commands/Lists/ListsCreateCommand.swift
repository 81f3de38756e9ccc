// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// `kith lists create`: creates a list.
struct ListsCreateCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create a list and add accounts to it.",
    discussion: """
      A curate list is for reading, a mod list for muting and blocking; the purpose cannot be changed later. \
      If you already have this list, it is used, and the accounts are added to it. The row of the list \
      itself has its AT-URI as subject.

        kith lists create Birds --purpose curate --description "All about birds"
        kith lists create Noise --purpose mod --from wave.txt

      \(ChangeRow.help)
      """)

  @Argument(help: "Name of the list, 1 to 64 bytes.") var name: String

  @Argument(
    help: ArgumentHelp("Accounts to add: handles, DIDs, profile URLs; - is stdin.", valueName: "account"),
    completion: .account)
  var names: [String] = []

  @Option(help: "Purpose of the list.") var purpose: ListPurposeOption

  @Option(parsing: .unconditional, help: ArgumentHelp("Description of the list.", valueName: "text"))
  var description: String?

  @OptionGroup(title: "Accounts") var members: MemberOptions
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Moderation") var moderation: ModerationOptions
  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  func validate() throws { try members.validate(with: names) }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    var create = CreateList(ListDraft(name: name, purpose: purpose.purpose, description: description))
    create.allowsFollowed = moderation.allowMutuals
    if !names.isEmpty || !members.places.isEmpty || !sources.isEmpty {
      create.members = try await AccountChoice(names, members, sources, context)
    }
    try await ChangeRun(context: context, options: options).finish(create)
  }
}
