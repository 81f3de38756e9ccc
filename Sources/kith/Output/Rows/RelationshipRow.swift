// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// One answer of `kith check`, as a row.
struct RelationshipRow: PrintableRow {
  let actor: DID
  let answer: RelationshipAnswer

  static let fieldNames = [
    "actor", "target", "input", "handle", "displayName", "state", "following", "followedBy", "blocking",
    "blockedBy", "blockingByList",
    "blockedByList", "mutual", "blocked", "muted", "source", "checkedAt", "error",
  ]

  static let headings = ["TARGET", "FOLLOWS", "BLOCKS"]

  func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(answer.target)
    if let input = answer.input { fields.text(input) } else { fields.text(answer.target) }
    if let view = answer.view {
      fields.text(view.handle?.description)
      fields.text(view.displayName)
    } else {
      fields.leaveOut(2)
    }
    switch answer.state {
    case .known(let info):
      fields.text("known")
      Self.write(info, isShown: isShown, to: &fields)
      fields.leaveOut()
    case .itself: writeUnknown(state: "self", error: nil, to: &fields)
    case .notFound(let reason): writeUnknown(state: "notFound", error: reason, to: &fields)
    case .failed(let error): writeUnknown(state: "error", error: error.description, to: &fields)
    }
  }

  /// Whether the AppView shows the target; nil if that was not asked for.
  private var isShown: Bool? { answer.presence.map { $0 == .shown } ?? answer.view?.isShown }

  private static func write(_ info: RelationshipInfo, isShown: Bool?, to fields: inout RowEncoder) {
    if info.isEmpty {
      // The most common case: all six edges are absent.
      fields.leaveOut(6)
    } else {
      write(edges: info, to: &fields)
    }
    if isShown == false {
      // What the target does is unknown, unless an edge of it is returned (Q2).
      fields.flag(Relation.mutual.holds(for: info, isShown: false))
      fields.flag(Relation.blocked.holds(for: info, isShown: false))
    } else {
      fields.flag(info.mutual)
      fields.flag(info.blocked)
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
    fields.leaveOut(11)
    fields.text(error)
  }

  var tableRow: TableRow {
    let name = TableRow.Cell(input)
    switch answer.state {
    case .known(let info): return TableRow(cells: [name, Self.follows(info), Self.blocks(info)])
    case .itself: return TableRow(cells: [name, TableRow.Cell("the account itself", .faint)])
    case .notFound(let reason): return TableRow(cells: [name, TableRow.Cell("not found: \(reason)", .bad)])
    case .failed(let error):
      let words = (error.underlying as? InputError).map { "not an account: \($0.reason)" }
      return TableRow(cells: [name, TableRow.Cell(words ?? "unknown: \(error)", .bad)])
    }
  }

  /// The target as given, or its handle or DID.
  private var input: String {
    if let input = answer.input { return input }
    // An invalid handle does not identify an account.
    if let handle = answer.view?.handle, !handle.isInvalid { return handle.description }
    return answer.target?.description ?? ""
  }

  private static func follows(_ info: RelationshipInfo) -> TableRow.Cell {
    switch (info.isFollowing, info.isFollowedBy) {
    case (true, true): TableRow.Cell("mutual", .good)
    case (true, false): TableRow.Cell("follows")
    case (false, true): TableRow.Cell("followed by")
    case (false, false): TableRow.Cell("no", .faint)
    }
  }

  private static func blocks(_ info: RelationshipInfo) -> TableRow.Cell {
    func words(_ verb: String, _ direct: ATURI?, _ list: ATURI?) -> String? {
      direct != nil ? verb : list != nil ? "\(verb) (list)" : nil
    }
    let words = [
      words("blocks", info.blocking, info.blockingByList),
      words("blocked by", info.blockedBy, info.blockedByList),
    ].compactMap(\.self)
    return words.isEmpty ? TableRow.Cell("no", .faint) : TableRow.Cell(words.joined(separator: ", "), .bad)
  }
}
