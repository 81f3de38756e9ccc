// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// A page of `listRecords`, following a PDS dialect.
///
/// | | order | cursor |
/// |---|---|---|
/// | reference | newest first | the last key, on every page that is not empty (Q18) |
/// | lenient | newest first | the last key, on every full page |
/// | arroba | oldest first | the last collection and key, on every full page; the next page begins with it |
struct SandboxRecordPage {
  let entries: [RecordTable.Entry]
  let cursor: String?

  /// - Throws: ``XRPCFault`` for the reverse order if the server does not support it.
  init(
    of table: RecordTable, limit: Int, cursor: String?, isReversed: Bool, collection: NSID,
    dialect: SandboxDialect
  ) throws(XRPCFault) {
    switch dialect {
    case .reference, .lenient:
      entries = Self.exclusive(table, limit: limit, after: cursor, isAscending: isReversed)
      let hasCursor = dialect == .lenient ? entries.count == limit : !entries.isEmpty
      self.cursor = hasCursor ? entries.last?.key.description : nil
    case .arroba:
      guard !isReversed else { throw .invalidRequest("reverse not supported yet") }
      let key = cursor?.split(separator: "/").last.map(String.init)
      let start = key.map { table.place(of: $0) } ?? 0
      entries = Array(table.entries[start...].prefix(limit))
      self.cursor = entries.count == limit ? entries.last.map { "\(collection)/\($0.key)" } : nil
    }
  }

  private static func exclusive(
    _ table: RecordTable, limit: Int, after cursor: String?, isAscending: Bool
  ) -> [RecordTable.Entry] {
    guard isAscending else {
      let end = cursor.map { table.place(of: $0) } ?? table.entries.count
      return table.entries[..<end].suffix(limit).reversed()
    }
    let start = cursor.map { table.place(of: $0) } ?? 0
    return Array(table.entries[start...].drop { $0.key.description == cursor }.prefix(limit))
  }
}
