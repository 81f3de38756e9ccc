// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// Follows the accounts that have allowed it, and tidies up requests and acceptances that have ended.
public struct SyncFriends: ChangeSource {
  public static let name = "syncFriends"

  public init() {}

  public let title = ChangeTitle(
    "friends sync", "changed", imperative: "Follow, or remove the request or acceptance of,",
    namesEachChange: true)

  public var confirmation: ConfirmationRule { ConfirmationRule(chosenBy: .found) }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let (workspace, account) = (preparation.workspace, preparation.account)
    let sync = try await FriendSync(for: account, in: workspace)
    if let lead = sync.serverLead { preparation.note(.clockDiffers(serverLead: lead)) }
    preparation.note(.friendsSynced(sync.counts))
    var prepared = PreparedChanges(sync.requests)
    prepared.narrowing = sync.checked
    prepared.conclude = { try await sync.settle(for: account, in: workspace) }
    prepared.fault = sync.fault
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.edges(.follow)])
    estimate.costs.addFriendRecords(targets: nil, each: 2)
    estimate.addUnknownChanges()
  }
}

/// Keeps a list of the account equal to its friends by consent.
public struct KeepFriendList: ChangeSource {
  public static let name = "keepFriendList"

  /// The list: by name, AT-URI or address.
  public var list: String

  public init(_ list: String) { self.list = list }

  public let title = ChangeTitle(
    "friends audience", "changed", imperative: "Add to the list, or remove from it,", namesEachChange: true)

  public var confirmation: ConfirmationRule { ConfirmationRule(from: 2, chosenBy: .found) }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let (workspace, account) = (preparation.workspace, preparation.account)
    let uri = try await workspace.list(named: list, of: account)
    let audience = try await FriendAudience(of: uri, for: account, in: workspace)
    preparation.note(.audienceCompared(friends: audience.friends, undecided: audience.undecided))
    // An AT-URI or address says nothing about the list that is changed.
    let name =
      try RecordInput(parsing: list) == nil
      ? list : try await workspace.ownLists(of: account)[uri]?.name ?? list
    var prepared = PreparedChanges(audience.requests)
    prepared.concern = { $0.affected > 1 ? .keepsEqual(list: name) : nil }
    prepared.fault = audience.fault
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.lists])
    try await estimate.addNaming(of: list)
    estimate.costs.addRecords(.listitem, count: nil)
    estimate.costs.addOwnRecords([(.listitem, count: nil)])
    estimate.costs.addFriendRecords(targets: nil, each: 2)
    estimate.addUnknownChanges()
  }
}
