// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

/// Blocks or mutes all members of lists, or ends that.
public struct ChangeLists: ChangeSource {
  public static let name = "changeLists"

  /// What is done about each list.
  public enum Kind: Sendable, Hashable, CaseIterable {
    case block, unblock, mute, unmute
  }

  /// The lists: by AT-URI or address, own ones also by name.
  public var lists: [String]
  /// What is done.
  public var kind: Kind
  /// Whether lists that are not made for moderation are blocked, too; those of an unknown purpose are not, either.
  public var allowsCuration = false

  public init(_ kind: Kind, _ lists: [String]) { (self.kind, self.lists) = (kind, lists) }

  public var title: ChangeTitle {
    switch kind {
    case .block: ChangeTitle("block-list", "blocked", noun: "list", imperative: "Block")
    case .unblock: ChangeTitle("unblock-list", "unblocked", noun: "list", imperative: "Unblock")
    case .mute: ChangeTitle("mute-list", "muted", noun: "list", imperative: "Mute")
    case .unmute: ChangeTitle("unmute-list", "unmuted", noun: "list")
    }
  }

  public var confirmation: ConfirmationRule { ConfirmationRule() }

  /// Whether the list has to exist; what is about a deleted list can still be ended.
  private var needsList: Bool { kind == .block || kind == .mute }

  private func change(_ list: ATURI) -> ChangeIntent {
    switch kind {
    case .block: .blockList(list)
    case .unblock: .unblockList(list)
    case .mute: .muteList(list)
    case .unmute: .unmuteList(list)
    }
  }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let (workspace, account) = (preparation.workspace, preparation.account)
    var requests: [RequestedChange] = []
    var reaches: [ATURI: ListReach] = [:]
    var members: [ATURI: Int] = [:]
    for name in lists {
      let list: ATURI
      if let record = Self.record(name) {
        list = record
      } else {
        list = try await workspace.list(named: name, of: account)
      }
      if kind == .unblock, preparation.asks {
        members[list] = try await workspace.memberCount(of: list, by: account.appview)
      }
      requests.append(
        RequestedChange(name, try await request(for: list, &reaches, workspace, as: account)))
    }
    var prepared = PreparedChanges(requests)
    prepared.plansTogether = true
    prepared.notes = { [reaches] plan in
      plan.changedLists.compactMap { reaches[$0].map(PreparationNote.listReach) }
    }
    prepared.concern = { [kind, reaches, members] plan in
      let lists = plan.changedLists
      switch kind {
      case .block:
        let followed = lists.reduce(0) { $0 + (reaches[$1]?.followed?.count ?? 0) }
        return followed > 0 ? .hidesFollowed(followed) : nil
      case .unblock:
        let counts = lists.map { members[$0] }
        let known = counts.compactMap(\.self).reduce(0, +)
        if counts.contains(nil) { return .unblocks(members: nil) }
        return known > 1 ? .unblocks(members: known) : nil
      case .mute, .unmute: return nil
      }
    }
    return prepared
  }

  /// The change of a list, or why it is not made.
  private func request(
    for list: ATURI, _ reaches: inout [ATURI: ListReach], _ workspace: Workspace,
    as account: AuthorizedAccount
  ) async throws -> Result<ChangeIntent, any Error> {
    guard needsList else { return .success(change(list)) }
    guard var reach = try await workspace.reach(of: list) else {
      return .failure(OperationError.noSuchList(list, isOwn: false))
    }
    guard allowsCuration || !list.isList || reach.isForModeration else {
      return .failure(OperationError.notForModeration(list, reach.purpose))
    }
    if list.isList { try await workspace.addMembers(to: &reach, as: account) }
    reaches[list] = reach
    return .success(change(list))
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    let namesOwn = try lists.contains { try Self.record($0) == nil && RecordInput(parsing: $0) == nil }
    try await estimate.read(namesOwn ? [.lists] : [])
    if needsList { try await estimate.read([.edges(.follow)]) }
    for name in lists {
      var list = Self.record(name)
      if list == nil { list = try await estimate.addNaming(of: name) }
      guard let list else { continue }
      if needsList {
        estimate.addRecord(of: list.collection ?? .list)
        try await estimate.addReach(of: list)
      }
      if kind == .unblock { estimate.addMemberCount(of: list) }
      estimate.add(change(list))
    }
  }

  /// The listblock record, which some servers return in place of the list (Q6).
  private static func record(_ name: String) -> ATURI? {
    ATURI(name).flatMap { $0.collection?.description == "app.bsky.graph.listblock" ? $0 : nil }
  }
}

extension ChangePlan {
  /// The lists that it changes something about.
  fileprivate var changedLists: [ATURI] {
    changes.filter { !$0.steps.isEmpty }.compactMap(\.change.list)
  }
}
