// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships

/// One entry of an input file, and where it stands.
struct TextRecord: Sendable, Equatable {
  private enum Content: Sendable, Equatable {
    case did(DID)
    case text(String)
  }

  /// A DID stays one: long files are made of them, and each text takes memory of its own.
  private let content: Content
  /// The number of the line where it begins, from 1.
  let line: Int

  var text: String {
    switch content {
    case .did(let did): did.description
    case .text(let text): text
    }
  }

  /// Takes bytes as UTF-8, with what is none of it replaced.
  init(_ bytes: UnsafeBufferPointer<UInt8>, line: Int) {
    content = DID(plc: bytes).map { .did($0) } ?? .text(String(decoding: bytes, as: UTF8.self))
    self.line = line
  }

  init(text: String, line: Int) {
    var text = text
    self = text.withUTF8 { TextRecord($0, line: line) }
  }

  /// What somebody asks who names a target so, in a file of that name.
  func question(in file: String) -> RelationshipQuestion {
    switch content {
    case .did(let did): RelationshipQuestion(did)
    case .text(let text):
      RelationshipQuestion(typed: Self.account(inRow: text) ?? text, at: "\(file):\(line)")
    }
  }

  /// What names an account in the rows that commands print as NDJSON.
  private struct Row: Decodable {
    let did: String?
    let target: String?
    let subject: String?
    let input: String?
  }

  /// Whom a line names that is a row of an earlier output; nil for any other text.
  private static func account(inRow text: String) -> String? {
    guard text.hasPrefix("{"), let row = try? JSONCoding.decode(Row.self, from: Array(text.utf8)) else {
      return nil
    }
    return row.did ?? row.target ?? row.subject ?? row.input
  }
}

/// Cuts bytes into entries: told of pieces of any size, it gives the entries that are complete.
protocol TextRecordReader: Sendable {
  /// Takes the next piece.
  ///
  /// - Throws: ``CommandFault`` when the file as a whole cannot be read as what it was said to be.
  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord]

  /// The entry that the end of the file completes.
  mutating func ended() throws(CommandFault) -> [TextRecord]
}
