// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships

/// One answer of a check.
public struct RelationshipRow: OperationRow {
  public let actor: DID
  public let answer: RelationshipAnswer

  /// When a mute of the target ends, and how much it hides, if Kith made it so.
  public let mute: TimedEdge?

  /// The graph of the follows.
  public let graph: FollowGraph

  public init(
    actor: DID, answer: RelationshipAnswer, mute: TimedEdge? = nil, graph: FollowGraph = .bluesky
  ) {
    self.graph = graph
    self.actor = actor
    self.answer = answer
    self.mute = mute
  }

  /// The same row with the names of its target, if they are among those that are known.
  package func named(by known: [DID: AccountView]) -> RelationshipRow {
    guard let target = answer.target, let view = known[target] else { return self }
    return RelationshipRow(actor: actor, answer: answer.named(by: view), mute: mute, graph: graph)
  }

  /// Fields: actor, target, input (what was named), handle, displayName, state (`known`, `self`, `notFound`,
  /// `error`), following, followedBy, blocking, blockedBy, blockingByList, blockedByList (AT-URIs; null if there is
  /// none), mutual, blocked, muted (flags; null if unknown), source, checkedAt, error, mutedUntil and mutedOnly (`reposts` or
  /// `quotes`), if Kith muted the target so, graph (of the follows: `bluesky`, `tangled` and others, or an NSID; blocks
  /// and mutes are null in those of other apps), friend, requested and requestedBy (flags; null unless that was asked for).
  public static let fieldNames = [
    "actor", "target", "input", "handle", "displayName", "state", "following", "followedBy", "blocking",
    "blockedBy", "blockingByList",
    "blockedByList", "mutual", "blocked", "muted", "source", "checkedAt", "error", "mutedUntil", "mutedOnly",
    "graph", "friend", "requested", "requestedBy",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(answer.target)
    if let input = answer.input { fields.text(input) } else { fields.textAgain() }
    if let view = answer.view {
      fields.text(view.handle?.description)
      fields.text(view.displayName)
    } else {
      fields.null(count: 2)
    }
    switch answer.state {
    case .known(let info):
      fields.text("known")
      write(info, isShown: answer.isShown, to: &fields)
      fields.null()
    case .itself: writeUnknown(state: "self", error: nil, to: &fields)
    case .notFound(let reason): writeUnknown(state: "notFound", error: reason, to: &fields)
    case .failed(let error): writeUnknown(state: "error", error: error.description, to: &fields)
    }
    fields.text(mute?.until?.description)
    fields.text(mute?.scope.flatMap { $0 == .everything ? nil : $0.rawValue })
    fields.text(graph.name)
    if let friendship = answer.friendship {
      fields.flag(friendship.isFriend)
      fields.flag(friendship.isRequested)
      fields.flag(friendship.isRequestedBy)
    } else {
      fields.null(count: 3)
    }
  }

  private var isOfOtherApp: Bool { graph != .bluesky }

  private func write(_ info: RelationshipInfo, isShown: Bool?, to fields: inout RowEncoder) {
    if info.isEmpty {
      // The most common case: all six edges are absent.
      fields.null(count: 6)
    } else {
      Self.write(edges: info, to: &fields)
    }
    if isShown == false {
      // What the target does is unknown, unless an edge of it is returned (Q2).
      fields.flag(Relation.mutual.holds(for: info, isShown: false))
      fields.flag(isOfOtherApp ? nil : Relation.blocked.holds(for: info, isShown: false))
    } else {
      fields.flag(info.mutual)
      // Other apps have no records of blocks.
      fields.flag(isOfOtherApp ? nil : info.blocked)
    }
    fields.flag(info.muted)
    fields.text(info.source.rawValue)
    fields.text(info.checkedAt.description)
  }

  private static func write(edges info: RelationshipInfo, to fields: inout RowEncoder) {
    fields.text(info.following?.description)
    fields.text(info.followedBy?.description)
    fields.text(info.blocking?.description)
    fields.text(info.blockedBy?.description)
    fields.text(info.blockingByList?.description)
    fields.text(info.blockedByList?.description)
  }

  private func writeUnknown(state: String, error: String?, to fields: inout RowEncoder) {
    fields.text(state)
    // Six edges, three flags, source and time.
    fields.null(count: 11)
    fields.text(error)
  }
}

/// A relationship that one AppView shows and another does not.
public struct AppViewDifferenceRow: OperationRow {
  /// The account whose relationships are compared.
  public let actor: DID
  /// The other account.
  public let view: AccountView
  /// The relationship, named as in rows of relationships: `following`, `followedBy`.
  public let relation: String
  /// The record, or the list, that the one AppView names.
  public let record: ATURI
  /// Whether the AppView that is compared shows it, and not that of the workspace.
  public let isShownByOther: Bool
  /// The AppView that shows it.
  public let shownBy: ServiceURL
  /// What the repository says, or why that is unknown; nil for a relationship that no repository alone settles.
  let settled: Result<Bool, any Error>?

  /// Whether the repository has such a record, so that the AppView is right that shows it; nil if that is unknown.
  public var repository: Bool? { try? settled?.get() }
  /// Why that is unknown.
  public var error: (any Error)? { if case .failure(let error)? = settled { error } else { nil } }

  /// Fields: actor, target, handle, displayName, relation (following, followedBy, blocking, blockedBy, blockingByList,
  /// blockedByList), shownBy (the AppView that shows it), repository (whether the repository has it; null if that is
  /// unknown), record, error.
  public static let fieldNames = [
    "actor", "target", "handle", "displayName", "relation", "shownBy", "repository", "record", "error",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(relation)
    fields.text("\(shownBy)")
    fields.flag(repository)
    fields.text(record.description)
    fields.text(error.map { "\($0)" })
  }
}
