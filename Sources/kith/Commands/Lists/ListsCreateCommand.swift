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

  static let verb = ChangeVerb(
    name: "lists create", participle: "written", noun: "record", imperative: "Write")

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

  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  func validate() throws { try members.validate(with: names) }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let predicate = try await members.selection.filter(context)
    let account = try await context.workspace.account()
    let excluded = try members.selection.exclusions(in: process)
    let draft = ListDraft(name: name, purpose: purpose.purpose, description: description)
    if options.cost.explain {
      return try await explain(draft, excluding: excluded, where: predicate, context, as: account)
    }
    let known = try await context.workspace.ownLists(of: account)
    let list = known.all.first(where: draft.isMet)?.uri ?? context.newList(of: account)
    var requests = [RequestedChange(name, .success(.list(.create(list, draft))))]
    if !names.isEmpty || !members.places.isEmpty || !sources.isEmpty {
      let found = try await context.accounts(
        members, naming: names, sources, excluding: excluded, where: predicate, as: account)
      requests += found.requests {
        .list(.add($0, to: list, allowsFollowed: moderation.allowMutuals))
      }
    }
    let run = ChangeRun(
      context: context, options: options, verb: Self.verb, choice: members.choice(beside: sources))
    try await run.finish(requests, as: account)
  }
}

extension ListsCreateCommand {
  private func explain(
    _ draft: ListDraft, excluding excluded: [TargetStream], where predicate: AccountPredicate?,
    _ context: CommandContext, as account: AuthorizedAccount
  ) async throws {
    var estimate = try await context.estimate(options, as: account, reading: [.lists])
    let list = context.newList(of: account)
    estimate.addOwnLists()
    estimate.add(.list(.create(list, draft)))
    // The AppView is asked only about members of moderation lists.
    let isOpen = moderation.allowMutuals || draft.purpose != .moderate
    try await context.add(
      members, names, sources, excluding: excluded, where: predicate, to: &estimate
    ) { .list(.add($0, to: list, allowsFollowed: isOpen)) }
    try context.print(try await estimate.plan())
  }
}

extension CommandContext {
  /// The AT-URI of a new list.
  fileprivate func newList(of account: AuthorizedAccount) -> ATURI {
    OwnList.uri(RecordKey(tid: TIDClock(time: workspace.time).next()), of: account.did)
  }
}
