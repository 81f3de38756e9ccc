// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension RelationshipRow: PrintableRow {
  static let headings = ["TARGET", "FOLLOWS", "BLOCKS", "MUTED"]

  func tableRow(at now: Datetime) -> TableRow {
    let name = TableRow.Cell(input, whole: true)
    switch answer.state {
    case .known(let info):
      if graph != .bluesky {
        return TableRow(cells: [name, followsInApp(info)])
      }
      return TableRow(cells: [name, follows(info), Self.blocks(info), muted(info, at: now)])
    case .itself: return TableRow(cells: [name, TableRow.Cell("the account itself", .faint)])
    case .notFound(let reason): return TableRow(cells: [name, TableRow.Cell("not found: \(reason)", .bad)])
    case .failed(let error):
      let words = (error.underlying as? InputError).map { "not an account: \($0.reason)" }
      return TableRow(cells: [name, TableRow.Cell(words ?? "unknown: \(error)", .bad)])
    }
  }

  /// The target as given, or its handle or DID.
  private var input: String {
    if let input = answer.input, DID(input) == nil { return input }
    // An invalid handle does not identify an account.
    if let handle = answer.view?.handle, !handle.isInvalid { return handle.description }
    return answer.target?.description ?? ""
  }

  /// Empty if it is not known.
  private func muted(_ info: RelationshipInfo, at now: Datetime) -> TableRow.Cell {
    let part = mute?.scope?.partWords
    guard let word = part ?? info.muted.map({ $0 ? "yes" : "no" }) else { return TableRow.Cell("") }
    if word == "no" { return TableRow.Cell(word, .faint) }
    let end = mute?.until.map { ", ends \(RelativeTimeText.relative($0, to: now))" } ?? ""
    return TableRow.Cell(word + end, .bad)
  }

  var unnamed: [DID] {
    guard let target = answer.target, answer.view?.handle == nil else { return [] }
    return answer.input.map { DID($0) != nil } ?? true ? [target] : []
  }

  /// The follows in the graph of another app, where unknown is not no.
  private func followsInApp(_ info: RelationshipInfo) -> TableRow.Cell {
    let isUnknown = answer.presence == .hidden
    let words =
      isUnknown ? (info.isFollowing ? "follows; back unknown" : "no; back unknown") : Self.follows(info).text
    return TableRow.Cell("\(words) (\(graph.name))", info.mutual ? .good : info.isFollowing ? nil : .faint)
  }

  private func follows(_ info: RelationshipInfo) -> TableRow.Cell {
    let follows = Self.follows(info)
    guard let words = answer.friendship?.words else { return follows }
    return TableRow.Cell(
      "\(follows.text), \(words)", answer.friendship?.isFriend == true ? .good : follows.colour)
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

extension AppViewDifferenceRow: PrintableRow {
  static let headings = ["ACCOUNT", "RELATION", "SHOWN BY", "REPOSITORY"]

  func tableRow(at now: Datetime) -> TableRow {
    let repository =
      switch self.repository {
      case true?: TableRow.Cell("has it", .good)
      case false?: TableRow.Cell("has no such record", .bad)
      case nil: TableRow.Cell(error.map { "unknown: \($0)" } ?? "not settled", .faint)
      }
    return TableRow(cells: [
      TableRow.Cell(view.name, whole: true), TableRow.Cell(relation),
      TableRow.Cell("\(shownBy)"), repository,
    ])
  }
}
