// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// A command that changes relationships of the signed-in account with all members of lists.
protocol ListChangeCommand: RowCommand {
  /// The verb for rows, questions and jobs.
  static var verb: ChangeVerb { get }
  /// Whether the list has to exist; a deleted list can still be unblocked or unmuted.
  static var needsList: Bool { get }
  /// Whether it hides accounts that are followed, and is asked about therefore.
  static var hidesFollows: Bool { get }
  /// Whether it ends blocks, and is asked about if a list has several members.
  static var endsBlocks: Bool { get }
  /// Whether lists that are not made for moderation are changed, too.
  var allowsCuration: Bool { get }
  /// The names of the lists.
  var lists: [String] { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }

  /// The change for one list.
  func change(_ list: ATURI) -> ChangeIntent
}

extension ListChangeCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  static var needsList: Bool { false }

  static var hidesFollows: Bool { false }

  static var endsBlocks: Bool { false }

  var allowsCuration: Bool { true }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let account = try await context.workspace.account()
    if options.cost.explain { return try await explain(context, as: account) }
    var requests: [RequestedChange] = []
    var reaches: [ATURI: ListReach] = [:]
    var members: [ATURI: Int] = [:]
    for name in lists {
      let list: ATURI
      if let record = Self.record(name) {
        list = record
      } else {
        list = try await context.workspace.list(named: name, of: account)
      }
      if Self.endsBlocks, !options.yes, !options.dryRun {
        members[list] = try await context.workspace.memberCount(of: list, by: account.appview)
      }
      requests.append(
        RequestedChange(name, try await request(for: list, &reaches, context, as: account)))
    }
    var run = ChangeRun(context: context, options: options, verb: Self.verb, choice: .named)
    run.preview = { [reaches] plan in plan.lists.compactMap { reaches[$0] }.compactMap(Message.reach(of:)) }
    run.concern = { [reaches, members] plan in
      let followed = plan.lists.reduce(0) { $0 + (reaches[$1]?.followed?.count ?? 0) }
      if Self.hidesFollows, followed > 0 { return "you follow \(followed) of the members" }
      return Self.endsBlocks ? Self.members(of: plan.lists.map { members[$0] }) : nil
    }
    try await run.finish(requests, as: account)
  }

  /// How many accounts lists name, for a question; nil if it is one at most.
  private static func members(of counts: [Int?]) -> String? {
    let known = counts.compactMap(\.self).reduce(0, +)
    if counts.contains(nil) { return "how many members there are is unknown" }
    return known > 1 ? "\(known) members" : nil
  }

  /// The change of a list, or why it is not made.
  private func request(
    for list: ATURI, _ reaches: inout [ATURI: ListReach], _ context: CommandContext,
    as account: AuthorizedAccount
  ) async throws -> Result<ChangeIntent, any Error> {
    guard Self.needsList else { return .success(change(list)) }
    guard var reach = try await context.workspace.reach(of: list) else {
      return .failure(OperationError.noSuchList(list, isOwn: false))
    }
    guard allowsCuration || !list.isList || reach.isForModeration else {
      return .failure(OperationError.notForModeration(list, reach.purpose))
    }
    if list.isList { try await context.workspace.addMembers(to: &reach, as: account) }
    reaches[list] = reach
    return .success(change(list))
  }

  private func explain(_ context: CommandContext, as account: AuthorizedAccount) async throws {
    let namesOwn = try lists.contains { try Self.record($0) == nil && RecordInput(parsing: $0) == nil }
    var parts: Set<SubjectFacts.Part> = namesOwn ? [.lists] : []
    if Self.needsList { parts.insert(.edges(.follow)) }
    var estimate = try await context.estimate(options, as: account, reading: parts)
    for name in lists {
      var list = Self.record(name)
      if list == nil { list = try await estimate.addNaming(of: name) }
      guard let list else { continue }
      if Self.needsList {
        estimate.addRecord(of: list.collection ?? .list)
        try await estimate.addReach(of: list)
      }
      if Self.endsBlocks { estimate.addMemberCount(of: list) }
      estimate.add(change(list))
    }
    try context.print(try await estimate.plan())
  }

  /// The listblock record, which some servers return in place of the list (Q6).
  private static func record(_ name: String) -> ATURI? {
    ATURI(name).flatMap { $0.collection?.description == "app.bsky.graph.listblock" ? $0 : nil }
  }
}

extension ChangePlan {
  /// The lists that it blocks or mutes.
  fileprivate var lists: [ATURI] { changes.filter { !$0.steps.isEmpty }.compactMap(\.change.list) }
}
