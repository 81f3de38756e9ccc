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
  /// The CID of the friend request that it is about, if it is a row of a table.
  private var requestCID: String?

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

  /// The account of a row.
  init(_ row: ImportRow) {
    self.init(text: row.account ?? "", line: row.line)
    requestCID = Self.requestCID(record: row.record, cid: row.cid)
  }

  /// The CID of a row, if it is one of a friend request.
  private static func requestCID(record: String?, cid: String?) -> String? {
    guard let cid, CID(cid) != nil, let record = record.flatMap({ ATURI($0) }),
      record.collection == FriendRequest.collection
    else { return nil }
    return cid
  }

  /// The question for the entry as a target, in a file of that name; nil for a row of a command that is about no
  /// account, such as a number of the statistics.
  public func question(in file: String) -> RelationshipQuestion? {
    switch content {
    case .did(let did):
      // Most rows are about none, and a copy of a question is not free.
      requestCID == nil ? RelationshipQuestion(did) : RelationshipQuestion(did).aboutRequest(requestCID)
    case .text(let text):
      Self.question(text, requestCID, at: "\(file):\(line)")?.onLine(line)
    }
  }

  /// The fields that can name the account in NDJSON rows of commands.
  private struct Row: Decodable {
    let did: String?
    let target: String?
    let subject: String?
    let input: String?
    let record: String?
    let cid: String?
  }

  /// What is wrong with a JSON value that names no account.
  public static let namesNoAccount = "this JSON value names no account"

  private static func question(
    _ line: String, _ requestCID: String?, at place: @autoclosure () -> String
  ) -> RelationshipQuestion? {
    // Files that were joined have a byte order mark inside; names are trimmed anyway.
    let text =
      line.utf8.starts(with: CSVHeader.byteOrderMark)
      ? String(line.unicodeScalars.dropFirst()) : line
    guard text.hasPrefix("{") || text.hasPrefix("[") else {
      return saysNobody.contains(text.lowercased())
        ? nil : RelationshipQuestion(typed: text, at: place()).aboutRequest(requestCID)
    }
    if let (account, cid) = account(inRow: text) {
      return RelationshipQuestion(typed: account, at: place()).aboutRequest(cid)
    }
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

  /// The account of a line that is an NDJSON row, and the version of the friend request if it is one of those; nil for any other text.
  private static func account(inRow text: String) -> (account: String, requestCID: String?)? {
    guard let row = try? JSONCoding.decode(Row.self, from: Array(text.utf8)) else {
      return ImportReader.account(inRow: text).map { ($0, nil) }
    }
    let names = [row.did, row.target, row.subject, row.input]
    // Rows of this command are the most frequent; those of others have other fields, or objects in these.
    let name =
      names.lazy.compactMap { name in name.flatMap { CSVHeader.trimmed($0).isEmpty ? nil : $0 } }.first
      ?? ImportReader.account(inRow: text)
    return name.map { ($0, requestCID(record: row.record, cid: row.cid)) }
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
