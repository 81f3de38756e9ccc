// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships

/// One entry of an input file with its line number.
public struct TextRecord: Sendable, Equatable {
  private enum Content: Sendable, Equatable {
    case did(DID)
    case text(String)
  }

  /// DIDs are stored as such: long files consist of them, and strings would need more memory.
  private let content: Content
  /// The number of its first line, from 1.
  public let line: Int

  public var text: String {
    switch content {
    case .did(let did): did.description
    case .text(let text): text
    }
  }

  /// Decodes UTF-8, replacing invalid bytes.
  public init(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) {
    content = DID(plc: bytes).map { .did($0) } ?? .text(String(decoding: bytes, as: UTF8.self))
    self.line = line
  }

  public init(text: String, line: Int) {
    var text = text
    self = text.withUTF8 { TextRecord($0, line: line) }
  }

  /// The question for the entry as a target, in a file of that name; nil for a row of a command that is about no
  /// account, such as a number of the statistics.
  public func question(in file: String) -> RelationshipQuestion? {
    switch content {
    case .did(let did): RelationshipQuestion(did)
    case .text(let text):
      Self.question(text, at: "\(file):\(line)")?.onLine(line)
    }
  }

  /// The fields that can name the account in NDJSON rows of commands.
  private struct Row: Decodable {
    let did: String?
    let target: String?
    let subject: String?
    let input: String?
  }

  /// What is wrong with a JSON value that names no account.
  public static let namesNoAccount = "this JSON value names no account"

  private static func question(_ line: String, at place: @autoclosure () -> String) -> RelationshipQuestion? {
    // Files that were joined have a byte order mark inside; names are trimmed anyway.
    let text =
      line.utf8.starts(with: CSVHeader.byteOrderMark)
      ? String(line.unicodeScalars.dropFirst()) : line
    guard text.hasPrefix("{") || text.hasPrefix("[") else {
      return saysNobody.contains(text.lowercased()) ? nil : RelationshipQuestion(typed: text, at: place())
    }
    if let account = account(inRow: text) { return RelationshipQuestion(typed: account, at: place()) }
    if isAboutNoAccount(text) { return nil }
    let error = InputError(
      text: text.shortened(toBytes: shownOfJSON), reason: namesNoAccount, place: place())
    return RelationshipQuestion(input: error.text, target: .unreadable(error))
  }

  /// Whether a row has a field for an account, but none in it.
  private static func isAboutNoAccount(_ text: String) -> Bool {
    struct Fields: Decodable {
      let saysNobody: Bool

      private enum CodingKeys: CodingKey { case did, target, subject, handle }

      init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let fields = container.allKeys
        saysNobody =
          fields.contains { $0 != .handle }
          && fields.allSatisfy { (try? container.decodeNil(forKey: $0)) ?? false }
      }
    }
    return (try? JSONCoding.decode(Fields.self, from: Array(text.utf8)))?.saysNobody ?? false
  }

  /// What people write in a cell without an account. None of these is a valid name.
  private static let saysNobody: Set = ["n/a", "na", "none", "-", "--", "–", "—", "?", "null", "unknown"]

  /// How much of a JSON value without an account is shown.
  private static let shownOfJSON = 64

  /// The account of a line that is an NDJSON row; nil for any other text.
  private static func account(inRow text: String) -> String? {
    guard let row = try? JSONCoding.decode(Row.self, from: Array(text.utf8)) else {
      return ImportReader.account(inRow: text)
    }
    let names = [row.did, row.target, row.subject, row.input]
    // Rows of this command are the most frequent; those of others have other fields, or objects in these.
    return names.lazy.compactMap { name in name.flatMap { CSVHeader.trimmed($0).isEmpty ? nil : $0 } }.first
      ?? ImportReader.account(inRow: text)
  }
}

/// Splits bytes, received in pieces of any size, into entries.
public protocol TextRecordReader: Sendable {
  /// Takes the next piece and returns the completed entries.
  ///
  /// - Throws: ``OperationError`` if the file does not have the expected format.
  mutating func received(_ piece: [UInt8]) throws(OperationError) -> [TextRecord]

  /// The last entry, completed by the end of the file.
  mutating func ended() throws(OperationError) -> [TextRecord]
}
