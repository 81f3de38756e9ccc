// SPDX-License-Identifier: Apache-2.0

internal import GRDB

extension StoreFile {
  /// Returns what a file holds that no version of the program has made: triggers, views, and tables and indexes other than
  /// those of its version. Empty for a file of a later version, which is rejected anyway.
  ///
  /// Such a thing may have been put into a copy by another user: it would change what is read, or run when something is
  /// written.
  func strangers(in database: Database) throws -> [String] {
    let found = try Self.parts(of: database)
    let active = found.filter { ["trigger", "view"].contains($0.type) }
    if !active.isEmpty { return active.map(\.complaint) }
    let applied = try migrator.appliedIdentifiers(database)
    guard applied.isSubset(of: migrator.migrations) else { return [] }
    let versions = migrator.migrations.prefix(applied.count)
    guard let version = versions.last, applied == Set(versions) else { return ["it is not a store"] }
    let made = try DatabaseQueue()
    try migrator.migrate(made, upTo: version)
    let known = try made.read(Self.parts)
    return found.subtracting(known).map(\.complaint).sorted()
      + known.subtracting(found).map { "its \($0.type) \($0.name) is missing or another one" }.sorted()
  }

  /// A table, an index, a trigger or a view.
  private struct Part: Hashable {
    let type: String
    let name: String
    let table: String
    /// Its definition, whatever spaces and lines it was written in.
    let definition: String?

    var complaint: String { "it holds a \(type) that this program does not make: \(name)" }
  }

  private static func parts(of database: Database) throws -> Set<Part> {
    let rows = try Row.fetchAll(database, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master")
    return Set(
      rows.map { row in
        let definition = (row["sql"] as String?)?.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return Part(type: row["type"], name: row["name"], table: row["tbl_name"], definition: definition)
      })
  }
}
