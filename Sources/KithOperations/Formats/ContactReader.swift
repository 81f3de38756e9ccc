// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships

/// Reads contacts: an export of Mastodon (`following_accounts.csv`), a table with a column of names on X, or one address
/// a line.
///
/// An archive of X lists accounts by number only, so it cannot be used.
public struct ContactReader: Sendable {
  /// The contacts of a file.
  public struct Contacts: Sendable {
    /// The contacts, each once, in the order of the file.
    public fileprivate(set) var all: [Contact] = []
    /// The number of entries that are not addresses.
    public fileprivate(set) var unreadable = 0
    /// The line of the first of them.
    public fileprivate(set) var firstUnreadable: Int?
    private var seen: Set<Contact> = []

    fileprivate mutating func add(_ text: String, named name: String?, line: Int) {
      if text.allSatisfy(\.isWhitespace) { return }
      guard let contact = Contact(text, displayName: name) else {
        unreadable += 1
        firstUnreadable = firstUnreadable ?? line
        return
      }
      if seen.insert(contact).inserted { all.append(contact) }
    }
  }

  /// The most contacts of a file.
  public static let mostContacts = 10_000

  private static let addressColumns: Set<String> = [
    "account address", "profile url", "profile_url", "profile", "url", "link", "instagram_username",
    "account", "address", "handle", "username", "user name", "screen_name", "screen name",
    "screenname", "twitter", "twitter username", "x", "x username", "user", "acct",
  ]
  private static let nameColumns: Set<String> = [
    "name", "display name", "displayname", "display_name", "full name",
  ]

  /// Reads a file.
  ///
  /// - Parameter column: the name of the column with the addresses, or its number from 1; nil for a known one.
  /// - Throws: ``OperationError`` for an archive of X and other JSON, for a table without a known column, for a file without any
  ///   contact, and for too many contacts; what the source throws; `CancellationError`.
  public static func contacts(in source: any ByteSource, column: String? = nil) async throws -> Contacts {
    var decoder = TextDecoder()
    var head: [UInt8] = []
    var reader: Reader?
    var contacts = Contacts()
    while true {
      let piece = try await source.next()
      let bytes = piece.isEmpty ? decoder.finish() : decoder.decode(piece)
      if reader == nil {
        head += bytes
        reader = try Reader(startOf: head, isWhole: piece.isEmpty, file: source.name, column: column)
        try reader?.take(head, isWhole: piece.isEmpty, &contacts)
      } else {
        try reader?.take(bytes, isWhole: piece.isEmpty, &contacts)
      }
      if contacts.all.count > mostContacts {
        throw OperationError.tooManyContacts(file: source.name, most: mostContacts)
      }
      if piece.isEmpty {
        if contacts.all.isEmpty, contacts.unreadable > 0 {
          throw OperationError.noContacts(file: source.name, line: contacts.firstUnreadable ?? 1)
        }
        return contacts
      }
    }
  }

  private enum Reader {
    case lines(LineReader)
    case table(CSVReader)

    /// Nil if more of the file is needed.
    init?(startOf head: [UInt8], isWhole: Bool, file: String, column: String?) throws(OperationError) {
      let text = head.starts(with: CSVHeader.byteOrderMark) ? head.dropFirst(3) : head[...]
      let remaining = text[ImportReader.startOfFirstLine(in: text)...]
      if remaining.starts(with: "window.YTD".utf8) { throw .archiveOfX(file: file) }
      if let first = remaining.first, first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
        // An archive of X whose first line was removed, so that it is JSON.
        let isOfX = String(decoding: remaining.prefix(512), as: UTF8.self).contains("\"accountId\"")
        if !isOfX, !isWhole, remaining.count < 512 { return nil }
        throw isOfX ? .archiveOfX(file: file) : .contactsAreJSON(file: file)
      }
      guard let header = CSVHeader(startOf: remaining, isWhole: isWhole) else { return nil }
      func place(of names: Set<String>) -> Int? {
        header.names.firstIndex { names.contains($0.lowercased()) }
      }
      let named: Int? = if let column { try header.column(named: column, in: file) } else { nil }
      if let address = named ?? place(of: ContactReader.addressColumns) {
        let columns = [address, place(of: ContactReader.nameColumns)].compactMap(\.self)
        self = .table(CSVReader(file: file) { _ in columns })
      } else if header.names.filter({ !$0.isEmpty }).count > 1 {
        throw .noAccountColumn(file: file, columns: header.names)
      } else {
        self = .lines(LineReader())
      }
    }

    mutating func take(_ bytes: [UInt8], isWhole: Bool, _ contacts: inout Contacts) throws(OperationError) {
      switch self {
      case .lines(var reader):
        for record in try reader.received(bytes) { contacts.add(record.text, named: nil, line: record.line) }
        if isWhole {
          for record in try reader.ended() { contacts.add(record.text, named: nil, line: record.line) }
        }
        self = .lines(reader)
      case .table(var reader):
        var rows = try reader.received(bytes)
        if isWhole, let last = try reader.ended() { rows.append(last) }
        for row in rows {
          contacts.add(row.cells[0], named: row.cells.count > 1 ? row.cells[1] : nil, line: row.line)
        }
        self = .table(reader)
      }
    }
  }
}
