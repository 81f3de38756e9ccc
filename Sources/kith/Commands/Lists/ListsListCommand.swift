// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations
import KithRelationships

/// `kith lists list`: shows the lists of an account.
struct ListsListCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "Show your lists, or those of another account.",
    discussion: """
      Your own lists are read from your repository, those of others from the AppView. Fields: uri, name, \
      purpose (curate, mod, reference), owner, ownerHandle, description, members (as counted by the \
      AppView), muted and block (by you; null if no account is signed in), createdAt (only your own lists).

        kith lists
        kith lists --of alice.test --json
      """)

  @Option(help: ArgumentHelp("Show the lists of this account.", valueName: "account"), completion: .actor)
  var of: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { ListRow.self }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let actor = try of.map { try ActorInput(parsing: $0).identifier }
    let account = try await actor == nil ? wiring.workspace.account() : wiring.workspace.accountIfAny()
    let cost = CostReport(wiring.meter)
    try await common.printing(ListRow.self, environment: wiring.environment) { printer in
      if let account, actor.map(account.isNamed) ?? true {
        for row in try await ownRows(wiring, of: account) { try printer.print(row) }
      } else if let actor {
        let client = account?.appview ?? wiring.appview
        for try await list in Listings(client).lists(of: actor) { try printer.print(ListRow(list)) }
      }
    }
    if common.verbose { cost.say() }
  }

  /// The account's own lists. Missing AppView data is left out, because the lists are known without it.
  private func ownRows(_ wiring: Wiring, of account: AuthorizedAccount) async throws -> [ListRow] {
    let lists = try await wiring.workspace.ownLists(of: account)
    let unreadable = UnreadableRecords(.list) { [common] in common.say($0) }
    unreadable.add(lists.unreadable)
    guard !lists.all.isEmpty else { return [] }
    var shown: [ATURI: ListSummary] = [:]
    do {
      for try await list in Listings(account.appview).lists(of: .did(account.did)) {
        shown[list.uri] = list
      }
    } catch let error as RelationshipError {
      StandardError.say(.membersNotCounted(error))
    }
    return lists.all.map { ListRow($0, of: account.did, shown[$0.uri]) }
  }
}
