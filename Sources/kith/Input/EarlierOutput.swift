// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships

/// The NDJSON that an earlier `kith check` wrote, read line by line for the targets of its failed rows.
struct EarlierOutput {
  /// No row is longer: what a line may hold beyond is cut, and the line then told to be none.
  static let longestRow = 256 << 10

  /// Enough of a line that is no row to find it by.
  private static let shownOfALine = 64

  /// What decides about a row; its other fields are passed over.
  private struct Row: Decodable {
    enum State: String, Decodable {
      case known
      case itself = "self"
      case notFound
      case error
    }

    let actor: DID
    let target: DID?
    let input: String?
    let state: State
  }

  /// What a person calls the file.
  let file: String
  /// Whom all rows must be about; nil where that is not known yet.
  let actor: DID?
  private var isAtStart = true

  init(file: String, actor: DID?) {
    self.file = file
    self.actor = actor
  }

  /// The question that a line asks again, or nil for a row that did not fail.
  ///
  /// A line that is no row becomes a question that names nobody, so that it is told of and its answer stands
  /// in its place. The target is asked by its DID where the earlier run has learned that.
  ///
  /// - Parameter isLast: the file ends with this line, and has no line break after it.
  /// - Throws: ``CommandFault`` for a file of another format, and for a row about another actor.
  mutating func question(in line: TextRecord, isLast: Bool) throws(CommandFault) -> RelationshipQuestion? {
    if isAtStart { try checkFormat(line.text) }
    isAtStart = false
    let place = "\(file):\(line.line)"
    guard let row = try? JSONCoding.decode(Row.self, from: Array(line.text.utf8)) else {
      let reason =
        isLast
        ? "the file ends within this row, for its run was ended; whom it was about is lost"
        : "it is no row that kith check --format ndjson writes"
      let error = InputError(
        text: line.text.shortened(toBytes: Self.shownOfALine), reason: reason, place: place)
      return RelationshipQuestion(input: error.text, target: .unreadable(error))
    }
    if let actor, row.actor != actor {
      throw CommandFault(.badInput, .actorMismatch(row.actor, at: place, asked: actor))
    }
    guard row.state == .error else { return nil }
    if let target = row.target { return RelationshipQuestion(input: row.input, target: .did(target)) }
    return RelationshipQuestion(typed: row.input ?? "", at: place)
  }

  /// The other formats are recognized by how they begin.
  private func checkFormat(_ text: String) throws(CommandFault) {
    let format: String
    let wayOut: String
    if text.hasPrefix("[") {
      format = "a JSON array"
      wayOut = "jq -c '.[]' FILE | kith check ACTOR --retry-errors -"
    } else if text.hasPrefix(RelationshipRow.fieldNames.prefix(3).joined(separator: ",")) {
      format = "CSV"
      wayOut = "grep ',error,' FILE | cut -d, -f3 | kith check ACTOR -"
    } else if text.hasPrefix(RelationshipRow.headings[0] + " ") {
      format = "a table"
      wayOut = "ask again with --format ndjson"
    } else {
      return
    }
    throw CommandFault(.badInput, .notNDJSON(file: file, format: format, wayOut: wayOut))
  }
}
