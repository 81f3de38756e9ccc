// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// Reads the failed rows of an earlier check, line by line, from its NDJSON output.
public struct PreviousRunReader {
  /// The longest row. A longer line is cut and reported as invalid.
  public static let longestRow = 256 << 10

  /// What a table of the rows begins with.
  private static let headingOfTables = "TARGET "

  /// How much of an invalid line is shown.
  private static let shownOfALine = 64

  /// The relevant fields of a row.
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

  /// The display name of the file.
  public let file: String
  /// The actor of all rows; nil if not known yet.
  public let actor: DID?
  private var isAtStart = true

  public init(file: String, actor: DID?) {
    self.file = file
    self.actor = actor
  }

  /// The question of a failed row; nil for a row that did not fail.
  ///
  /// An invalid line becomes an unreadable question, so it is reported and has a row in the output. The
  /// target is identified by its DID if the earlier run resolved it.
  ///
  /// - Parameter isLast: whether the file ends with this line, without a line break.
  /// - Throws: ``OperationError`` for a file of another format, and for a row about another actor.
  public mutating func question(
    in line: TextRecord, isLast: Bool
  ) throws(OperationError) -> RelationshipQuestion? {
    if isAtStart { try checkFormat(line.text) }
    isAtStart = false
    let place = "\(file):\(line.line)"
    guard let row = try? JSONCoding.decode(Row.self, from: Array(line.text.utf8)) else {
      let reason =
        isLast
        ? "the file ends inside this row, because its run was interrupted; the target is lost"
        : "not an ndjson row of a check"
      let error = InputError(
        text: line.text.shortened(toBytes: Self.shownOfALine), reason: reason, place: place)
      return RelationshipQuestion(input: error.text, target: .unreadable(error))
    }
    if let actor, row.actor != actor {
      throw OperationError.actorMismatch(row.actor, at: place, asked: actor)
    }
    guard row.state == .error else { return nil }
    if let target = row.target { return RelationshipQuestion(input: row.input, target: .did(target)) }
    return RelationshipQuestion(typed: row.input ?? "", at: place)
  }

  /// Recognizes other formats by their first line.
  private func checkFormat(_ text: String) throws(OperationError) {
    let format: OperationError.Format
    if text.hasPrefix("[") {
      format = .array
    } else if text.hasPrefix(RelationshipRow.fieldNames.prefix(3).joined(separator: ",")) {
      format = .csv
    } else if text.hasPrefix(Self.headingOfTables) {
      format = .table
    } else {
      return
    }
    throw OperationError.notNDJSON(file: file, format)
  }
}
