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

  private static let verb = ChangeVerb(
    name: "friends audience", participle: "changed", isDestructive: true,
    imperative: "Add to the list, or remove from it,",
    namesEachIntent: true)

  var printedRow: (any PrintableRow.Type)? { ChangeRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    let uri = try await context.workspace.list(named: list, of: account)
    let audience = try await FriendAudience(of: uri, for: account, in: context.workspace)
    if !common.quiet || audience.undecided > 0 { context.report(.audienceCompared(audience)) }
    // An AT-URI or URL says nothing about the list that is changed.
    let name =
      try RecordInput(parsing: list) == nil
      ? list : try await context.workspace.ownLists(of: account)[uri]?.name ?? list
    var run = ChangeRun(context: context, options: options, verb: Self.verb, choice: .found)
    run.question = { plan, rows in Self.question(about: plan, rows, list: name) }
    try await run.finish(audience.requests, as: account)
    if let fault = audience.fault { throw context.fault(reported: fault) }
  }

  /// What is added, and what is removed: `Add bob.test to Friends, remove dave.test from it?`
  ///
  /// - Parameter rows: the first rows of the plan, which have the names.
  static func question(about plan: ChangePlan, _ rows: [ChangeRow], list: String) -> String {
    let changed = plan.changes.filter { !$0.steps.isEmpty }.map(\.change)
    func accounts(_ changes: [ChangeIntent]) -> String? {
      let all = Set(changes.compactMap(\.account?.description))
      let names = rows.filter { $0.subject.map(all.contains) ?? false }.map { $0.name ?? $0.input }
      if all.isEmpty { return nil }
      return names.isEmpty ? Message.counted(all.count, "account") : Message.named(names, of: all.count)
    }
    let added = accounts(changed.filter { if case .list(.add) = $0 { true } else { false } })
    let removed = accounts(changed.filter { if case .list(.remove) = $0 { true } else { false } })
    return switch (added, removed) {
    case (let added?, let removed?): "Add \(added) to \(list), remove \(removed) from it?"
    case (let added?, nil): "Add \(added) to \(list)?"
    case (nil, let removed?): "Remove \(removed) from \(list)?"
    case (nil, nil): "Change \(list)?"
    }
  }
}
