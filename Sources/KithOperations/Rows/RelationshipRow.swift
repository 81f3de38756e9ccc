// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// One answer of a check.
public struct RelationshipRow: OperationRow {
  public let actor: DID
  public let answer: RelationshipAnswer

  /// When a mute of the target ends, and how much it hides, as far as Kith made it so.
  public var mute: StandingEdge?

  /// The graph of the follows.
  public let graph: FollowGraph

  public init(
    actor: DID, answer: RelationshipAnswer, mute: StandingEdge? = nil, graph: FollowGraph = .bluesky
  ) {
    self.graph = graph
    self.actor = actor
    self.answer = answer
    self.mute = mute
  }

  /// Fields: actor, target, input (what was named), handle, displayName, state (`known`, `self`, `notFound`,
  /// `error`), following, followedBy, blocking, blockedBy, blockingByList, blockedByList (AT-URIs; null if there is
  /// none), mutual, blocked, muted (flags; null if unknown), source, checkedAt, error, mutedUntil and mutedOnly (`reposts` or
  /// `quotes`), as far as Kith muted the target so, graph (of the follows: `bluesky`, `tangled` and others, or an NSID; blocks
  /// and mutes are null in those of other apps).
  public static let fieldNames = [
    "actor", "target", "input", "handle", "displayName", "state", "following", "followedBy", "blocking",
    "blockedBy", "blockingByList",
    "blockedByList", "mutual", "blocked", "muted", "source", "checkedAt", "error", "mutedUntil", "mutedOnly",
    "graph", "friend", "requested", "requestedBy",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(answer.target)
    if let input = answer.input { fields.text(input) } else { fields.text(answer.target) }
    if let view = answer.view {
      fields.text(view.handle?.description)
      fields.text(view.displayName)
    } else {
      fields.null(count: 2)
    }
    switch answer.state {
    case .known(let info):
      fields.text("known")
      write(info, isShown: isShown, to: &fields)
      fields.null()
    case .itself: writeUnknown(state: "self", error: nil, to: &fields)
    case .notFound(let reason): writeUnknown(state: "notFound", error: reason, to: &fields)
    case .failed(let error): writeUnknown(state: "error", error: error.description, to: &fields)
    }
    fields.text(mute?.until?.description)
    fields.text(mute?.scope.flatMap { $0 == .everything ? nil : $0.rawValue })
    fields.text(graph.name)
    fields.flag(answer.friendship?.isFriend)
    fields.flag(answer.friendship?.isRequested)
    fields.flag(answer.friendship?.isRequestedBy)
  }

  private var isOfOtherApp: Bool { graph != .bluesky }

  /// Whether the AppView shows the target; nil if that was not asked for.
  private var isShown: Bool? { answer.presence.map { $0 == .shown } ?? answer.view?.isShown }

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
