// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// Reads which posts a file names: one a line, or rows of commands, such as those of a feed, as JSON, NDJSON or CSV.
///
/// A row names its own post (`uri`), or else the post that it is about (`subject`).
public struct PostNames: Sendable {
  private enum Form {
    case json(JSONElementReader)
    case csv(CSVReader)
    case lines(LineReader)
  }

  /// The fields and columns that can name a post, the first that does counts.
  private static let fields = ["uri", "subject", "page", "post", "url"]
  /// How much of a row without a post is shown.
  private static let shownOfARow = 64

  private let file: String
  private var form: Form?
  /// The start of the file, until its format is known.
  private var head: [UInt8] = []
  private var names: [String] = []
  private var seen: Set<String> = []

  private init(file: String) { self.file = file }

  /// The posts that a file names, each once, in their order.
  ///
  /// - Throws: ``OperationError`` for a file that cannot be read, `InputError` for a line or row without a post, and what the
  ///   source throws.
  public static func all(in source: any ByteSource) async throws -> [String] {
    var reader = PostNames(file: source.name)
    var decoder = TextDecoder()
    while case let piece = try await source.next(), !piece.isEmpty {
      try reader.received(decoder.decode(piece))
    }
    try reader.received(decoder.finish())
    try reader.ended()
    return reader.names
  }

  private mutating func received(_ piece: [UInt8]) throws {
    if form == nil {
      head += piece
      guard try recognizes(isWhole: false) else { return }
      defer { head = [] }
      return try read(head)
    }
    try read(piece)
  }

  private mutating func ended() throws {
    if form == nil {
      guard try recognizes(isWhole: true) else { return }
      try read(head)
    }
    switch form {
    case .json(var reader)?: if let last = try reader.ended() { try add(last) }
    case .csv(var reader)?: if let last = try reader.ended() { try add(last.cells, at: last.line) }
    case .lines(var reader)?: for last in try reader.ended() { try add(last.text, at: last.line) }
    case nil: break
    }
  }

  /// Determines the format by the first line that is not empty; false if more of the file is needed.
  private mutating func recognizes(isWhole: Bool) throws -> Bool {
    if head.starts(with: CSVHeader.byteOrderMark) { head.removeFirst(CSVHeader.byteOrderMark.count) }
    let start = ImportReader.startOfFirstLine(in: head[...])
    guard let first = head[start...].first(where: { $0 > UInt8(ascii: " ") }) else { return false }
    if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
      form = .json(JSONElementReader(file: file))
      return true
    }
    guard let header = CSVHeader(startOf: head[start...], isWhole: isWhole) else { return false }
    if header.names.contains(where: { Self.fields.contains($0.lowercased()) }) {
      let line = 1 + head[..<start].count { $0 == UInt8(ascii: "\n") }
      head.removeFirst(start)
      form = .csv(
        CSVReader(file: file, line: line) { header throws(OperationError) in
          Self.fields.compactMap { field in header.names.firstIndex { $0.lowercased() == field } }
        })
    } else if header.names.count > 1 {
      throw OperationError.noColumn(Self.fields[0], file: file, columns: header.names)
    } else {
      form = .lines(LineReader())
    }
    return true
  }

  private mutating func read(_ piece: [UInt8]) throws {
    switch form {
    case .json(var reader)?:
      for element in try reader.received(piece) { try add(element) }
      form = .json(reader)
    case .csv(var reader)?:
      for row in try reader.received(piece) { try add(row.cells, at: row.line) }
      form = .csv(reader)
    case .lines(var reader)?:
      for record in try reader.received(piece) { try add(record.text, at: record.line) }
      form = .lines(reader)
    case nil: break
    }
  }

  private mutating func add(_ element: JSONElementReader.Element) throws {
    if let text = try? JSONCoding.decode(String.self, from: element.bytes) {
      return try add(text, at: element.line)
    }
    let row = try? JSONCoding.decode(DataValue.self, from: element.bytes)
    guard let post = post(among: Self.fields.compactMap { row?[$0]?.string }) else {
      throw namesNone(String(decoding: element.bytes, as: UTF8.self), at: element.line)
    }
    add(post)
  }

  /// - Parameter cells: those of the known columns; Kith writes an apostrophe before what looks like a formula.
  private mutating func add(_ cells: [String], at line: Int) throws {
    guard let post = post(among: cells.map { $0.hasPrefix("'") ? String($0.dropFirst()) : $0 }) else {
      throw namesNone(cells.joined(separator: " "), at: line)
    }
    add(post)
  }

  /// - Throws: `InputError` for a line that names no post.
  private mutating func add(_ text: String, at line: Int) throws {
    do { _ = try RecordInput(post: text) } catch {
      throw InputError(text: error.text, naming: error.noun, reason: error.reason, place: "\(file):\(line)")
    }
    add(text)
  }

  private mutating func add(_ post: String) { if seen.insert(post).inserted { names.append(post) } }

  private func post(among texts: [String]) -> String? { texts.first { (try? RecordInput(post: $0)) != nil } }

  private func namesNone(_ text: String, at line: Int) -> InputError {
    InputError(
      text: text.shortened(toBytes: Self.shownOfARow), naming: "row", reason: "it names no post",
      place: "\(file):\(line)")
  }
}
