// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// The fields of a row of an imported file, unchanged.
public struct ImportRow: Sendable, Equatable {
  /// The kind of relationship: a word of an export, or a record type.
  public var kind: String?
  /// The name of the account.
  public var account: String?
  /// The AT-URI of a list.
  public var list: String?
  /// The name of a list; purpose and description follow.
  public var name: String?
  public var purpose: String?
  public var description: String?
  /// The handle beside a DID; for people, because it may have another owner by now.
  public var handle: String?
  /// The AT-URI of the record in the repository that the file came from, and its date.
  public var record: String?
  public var since: String?
  /// The version of the record.
  var cid: String?
  /// When the relationship ends, and how much a mute hides.
  public var until: String?
  public var scope: String?
  /// The graph of a follow.
  public var graph: String?
  /// The number of the line where it begins, from 1.
  public var line = 0
  /// Whether it is a JSON value that names neither an account nor a list; its account is the beginning of its text.
  public var isUnreadable = false
}

/// Reads common file formats: one name per line; CSV with a column of accounts; JSON and NDJSON, such as
/// exports, repository records or responses of a server.
///
/// The start of the file determines its format.
public struct ImportReader: Sendable {
  private enum Form {
    case json(JSONElementReader)
    case csv(CSVReader)
    case lines(LineReader)
  }

  /// How much of an invalid element is shown.
  private static let shownOfAnElement = 64

  private let file: String
  private let column: String?
  private var form: Form?
  /// The start of the file, until its format is known.
  private var head: [UInt8] = []

  /// - Parameter column: the CSV column of accounts; nil for the usual names.
  public init(file: String, column: String? = nil) {
    self.file = file
    self.column = column
  }

  /// Takes the next piece and returns the completed rows.
  ///
  /// - Throws: ``OperationError`` if the file cannot be read.
  public mutating func received(_ piece: [UInt8]) throws(OperationError) -> [ImportRow] {
    if form != nil { return try rows(of: piece) }
    head += piece
    guard try recognize(isWhole: false) else { return [] }
    return try rows(of: head)
  }

  /// The last rows, completed by the end of the file.
  ///
  /// - Throws: as ``received(_:)``.
  public mutating func ended() throws(OperationError) -> [ImportRow] {
    var rows: [ImportRow] = []
    if form == nil, try recognize(isWhole: true) { rows = try self.rows(of: head) }
    switch form {
    case .json(var reader)?: if let last = try reader.ended() { rows += try self.rows(last) }
    case .csv(var reader)?: if let last = try reader.ended() { rows.append(ImportColumns.row(last)) }
    case .lines(var reader)?: rows += try reader.ended().map(row)
    case nil: break
    }
    return rows
  }

  // MARK: Format

  /// The start of the first line that is not blank.
  public static func startOfFirstLine(in text: ArraySlice<UInt8>) -> Int {
    guard let first = text.firstIndex(where: { $0 > UInt8(ascii: " ") }) else { return text.endIndex }
    return text[..<first].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? text.startIndex
  }

  /// Determines the format by the first line that is not empty.
  private mutating func recognize(isWhole: Bool) throws(OperationError) -> Bool {
    if head.starts(with: CSVHeader.byteOrderMark) { head.removeFirst(CSVHeader.byteOrderMark.count) }
    guard let first = head.first(where: { $0 > UInt8(ascii: " ") }) else {
      // A long run of white space is not a useful file.
      guard head.count < CSVReader.longestHeader else { throw OperationError.importEmpty }
      return false
    }
    if first == UInt8(ascii: "[") || first == UInt8(ascii: "{") {
      form = .json(JSONElementReader(file: file))
      return true
    }
    // Only whole blank lines are skipped: a header line may begin with an empty cell and a tab.
    let start = Self.startOfFirstLine(in: head[...])
    let line = 1 + head[..<start].count { $0 == UInt8(ascii: "\n") }
    if let column {
      head.removeFirst(start)
      form = .csv(
        CSVReader(file: file, line: line) { [file] header throws(OperationError) in
          let columns = ImportColumns(header)
          try columns.checkNames(in: file, besides: ImportColumns.account)
          return columns.positions(naming: try header.column(named: column, in: file))
        })
      return true
    }
    guard let header = CSVHeader(startOf: head[start...], isWhole: isWhole) else { return false }
    let columns = ImportColumns(header)
    if columns.nameAccounts || columns.nameLists {
      head.removeFirst(start)
      form = .csv(
        CSVReader(file: file, line: line) { [file] header throws(OperationError) in
          let columns = ImportColumns(header)
          try columns.checkNames(in: file)
          return columns.positions()
        })
    } else if header.names.count > 1 {
      throw OperationError.noAccountColumn(file: file, columns: header.names)
    } else {
      form = .lines(LineReader())
    }
    return true
  }

  // MARK: Rows

  private mutating func rows(of piece: [UInt8]) throws(OperationError) -> [ImportRow] {
    // Clear `form` while its reader is changed, so the reader is not copied.
    defer { head = [] }
    switch form {
    case .json(var reader)?:
      form = nil
      let elements = try reader.received(piece)
      form = .json(reader)
      var rows: [ImportRow] = []
      for element in elements { rows += try self.rows(element) }
      return rows
    case .csv(var reader)?:
      form = nil
      let rows = try reader.received(piece)
      form = .csv(reader)
      return rows.map(ImportColumns.row)
    case .lines(var reader)?:
      form = nil
      let records = try reader.received(piece)
      form = .lines(reader)
      return records.map(row)
    case nil: return []
    }
  }

  private func row(_ record: TextRecord) -> ImportRow { ImportRow(account: record.text, line: record.line) }

  /// The rows of an element: one, or those of the answer of a server. An element that names nothing becomes an
  /// unreadable row.
  private func rows(_ element: JSONElementReader.Element) throws(OperationError) -> [ImportRow] {
    guard let read = try? JSONCoding.decode(ImportElement.self, from: element.bytes) else {
      return [Self.unreadable(element)]
    }
    // The answer of a server is a whole JSON value with one array; arrays inside elements of an array are details.
    if !element.isInArray, !read.isNamed {
      let arrays = JSONArrayMember.all(in: element.bytes)
      if arrays.count == 1 { return try rows(of: arrays[0], in: element) }
      if arrays.count > 1 { return [Self.unreadable(element)] }
    }
    guard var row = read.row else { return [Self.unreadable(element)] }
    row.line = element.line
    return [row]
  }

  /// The rows of an answer.
  private func rows(
    of array: JSONArrayMember, in answer: JSONElementReader.Element
  ) throws(OperationError) -> [ImportRow] {
    var reader = JSONElementReader(file: file, line: answer.line + array.lineOffset)
    let elements = try reader.received(Array(array.bytes))
    if elements.isEmpty, !ImportElement.answers.contains(array.name) { return [Self.unreadable(answer)] }
    var rows: [ImportRow] = []
    for element in elements { rows += try self.rows(element) }
    return rows
  }

  private static func unreadable(_ element: JSONElementReader.Element) -> ImportRow {
    ImportRow(
      account: String(decoding: element.bytes.prefix(shownOfAnElement), as: UTF8.self), line: element.line,
      isUnreadable: true)
  }

  /// The account that a line of NDJSON names; nil if it is not such a line, or names none.
  public static func account(inRow text: String) -> String? {
    (try? JSONCoding.decode(ImportElement.self, from: Array(text.utf8)))?.row?.account
  }
}

/// Maps the columns of a CSV file to fields, by the column names of common exports.
public struct ImportColumns {
  /// Names of columns with accounts, by priority; the first non-empty one is used. Compared without case,
  /// spaces and hyphens.
  public static let account = [
    "did", "subject", "target", "input", "handle", "username", "userhandle", "user", "account", "screenname",
    "profile", "profileurl", "url", "link", "uri", "actor",
  ]
  private static let fields = [
    "kind", "list", "name", "purpose", "description", "record", "since", "until", "scope",
    "graph", "cid",
  ]

  private let positions: [String: Int]
  /// Names that more than one column has, with the spelling of the first.
  private let repeated: [String: String]

  public init(_ header: CSVHeader) {
    let names = header.names.map { $0.lowercased().filter { $0.isLetter || $0.isNumber } }
    positions = Dictionary(zip(names, header.names.indices)) { first, _ in first }
    var repeated: [String: String] = [:]
    for (name, position) in zip(names, header.names.indices) where positions[name] != position {
      repeated[name] = positions[name].map { header.names[$0] }
    }
    self.repeated = repeated
  }

  /// Checks that a name that decides what is imported belongs to one column alone.
  ///
  /// - Parameter ignored: names of columns that are not read.
  /// - Throws: ``OperationError`` with a name that several columns have.
  public func checkNames(in file: String, besides ignored: [String] = []) throws(OperationError) {
    for name in Self.account + ["kind", "list"] where !ignored.contains(name) {
      if let spelling = repeated[name] {
        throw OperationError.repeatedColumn(spelling, file: file)
      }
    }
  }

  public var nameAccounts: Bool { Self.account.contains { positions[$0] != nil } }
  public var nameLists: Bool { positions["list"] != nil && positions["kind"] != nil }

  /// The columns to read: those of `fields` in order, then those with accounts.
  ///
  /// - Parameter column: the column of accounts, if the user chose one.
  public func positions(naming column: Int? = nil) -> [Int] {
    // `.max` stands for a missing column.
    let fields = Self.fields.map { positions[$0] ?? .max }
    // A column that names accounts is not read as anything else.
    if let column { return fields.map { $0 == column ? .max : $0 } + [column] }
    var names = Self.account.compactMap { positions[$0] }
    // Beside other account columns, "actor" is the subject of the export, not the account of the row.
    if names.count > 1, let actor = positions["actor"] { names.removeAll { $0 == actor } }
    return fields + names
  }

  /// The fields of a row whose cells were chosen by ``positions(naming:)``.
  public static func row(_ row: CSVReader.Row) -> ImportRow {
    let cells = row.cells.map { $0.isEmpty ? nil : SpreadsheetFormula.undefused($0) }
    func trimmed(_ cell: String?) -> String? { cell.map(CSVHeader.trimmed).flatMap { $0.isEmpty ? nil : $0 } }
    let names = cells.dropFirst(fields.count).compactMap(trimmed)
    return ImportRow(
      kind: trimmed(cells[0]), account: names.first, list: trimmed(cells[1]),
      name: cells[2].map(EscapedText.unescaped), purpose: trimmed(cells[3]),
      description: cells[4].map(EscapedText.unescaped), handle: names.dropFirst().first { Handle($0) != nil },
      record: trimmed(cells[5]), since: trimmed(cells[6]), cid: trimmed(cells[10]), until: trimmed(cells[7]),
      scope: trimmed(cells[8]),
      graph: trimmed(cells[9]),
      line: row.line)
  }
}

/// A value in a JSON file: a name, a row of an export, a record, or an object with something else.
private struct ImportElement: Decodable {
  /// What it names; nil if it names neither an account nor a list.
  let row: ImportRow?
  /// Whether a text in it names an account or a list. The subject of an answer is an object.
  let isNamed: Bool

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private typealias Fields = KeyedDecodingContainer<Key>

  private static let accounts = ["did", "subject", "target", "input", "handle", "profile", "url"]

  /// The arrays of answers that may be empty: a listing without entries names no account, and nothing is lost.
  static let answers: Set = [
    "actors", "blocks", "followers", "follows", "items", "likes", "lists", "listsWithMembership", "mutes",
    "profiles", "records", "relationships", "repostedBy", "starterPacks", "suggestions",
  ]

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      (row, isNamed) = (ImportRow(account: text), true)
      return
    }
    let fields = try decoder.container(keyedBy: Key.self)
    isNamed = (Self.accounts + ["list", "value"]).contains { key in
      key == "value" ? fields.contains(Key(stringValue: key)) : Self.text(key, fields) != nil
    }
    row = Self.row(fields)
  }

  private static func row(_ fields: Fields) -> ImportRow? {
    let uri = text("uri", fields)
    // An entry of `listRecords` has its fields in `value`.
    if let value = try? fields.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: "value")),
      let type = text("$type", value)
    {
      var row = said(value)
      row.kind = type
      (row.record, row.since) = (uri, text("createdAt", value))
      if row.list == nil, type != NSID.listblock.description { row.list = uri }
      return row
    }
    var row = said(fields)
    row.kind = text("kind", fields) ?? text("$type", fields)
    return row.account == nil && row.list == nil ? nil : row
  }

  private static func said(_ fields: Fields) -> ImportRow {
    var row = ImportRow(
      account: accounts.lazy.compactMap { name(of: $0, fields) }.first, list: name(of: "list", fields),
      name: text("name", fields), purpose: text("purpose", fields), description: text("description", fields),
      handle: text("handle", fields), record: text("record", fields), since: text("since", fields),
      cid: text("cid", fields),
      until: text("until", fields), scope: text("scope", fields), graph: text("graph", fields))
    // The subject of such a record is a list.
    if text("$type", fields) == NSID.listblock.description, row.list == nil {
      (row.account, row.list) = (nil, row.account)
    }
    return row
  }

  /// A text; nil if it is absent, null or blank.
  private static func text(_ key: String, _ fields: Fields) -> String? {
    let text = (try? fields.decodeIfPresent(String.self, forKey: Key(stringValue: key))) ?? nil
    return text.flatMap { CSVHeader.trimmed($0).isEmpty ? nil : $0 }
  }

  /// A string, or the DID, URI or handle of an object in its place.
  private static func name(of key: String, _ fields: Fields) -> String? {
    if let text = text(key, fields) { return text }
    guard let inner = try? fields.nestedContainer(keyedBy: Key.self, forKey: Key(stringValue: key)) else {
      return nil
    }
    return text("did", inner) ?? text("uri", inner) ?? text("handle", inner)
  }
}
