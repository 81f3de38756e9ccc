// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// Reads bytes as files of targets: they have the same entries in pieces of any size, and each entry is an actor or is not.
///
/// The first byte is the size of the pieces.
///
/// - Returns: How many entries each reader finds.
/// - Throws: ``BrokenInvariant``.
package func fuzzInput(_ bytes: [UInt8]) throws -> [String: Int] {
  let size = max(1, Int(bytes.first ?? 1))
  let file = Array(bytes.dropFirst())
  var counts: [String: Int] = [:]
  counts["lines"] = try recordCount(LineReader(), file, size)
  counts["short lines"] = try recordCount(LineReader(longestLine: 8), file, size)
  counts["column"] = try recordCount(CSVColumnReader(column: "did", file: "a.csv"), file, size)
  return counts
}

/// Returns nil where the reader refuses the file.
private func recordCount(_ reader: some TextRecordReader, _ file: [UInt8], _ size: Int) throws -> Int? {
  let whole = records(reader, [file])
  let pieces = stride(from: 0, to: file.count, by: size).map {
    Array(file[$0..<min($0 + size, file.count)])
  }
  try require(records(reader, pieces) == whole, "other entries in pieces of \(size)")
  guard let entries = try? whole.get() else { return nil }
  for record in entries {
    try require(record.line >= 1, "an entry of line \(record.line)")
    guard let actor = try? ActorInput(parsing: record.text) else { continue }
    try require(
      (try? ActorInput(parsing: actor.identifier.description)) == actor,
      "printed as another actor: \(record.text)")
  }
  return entries.count
}

private func records(
  _ reader: some TextRecordReader, _ pieces: [[UInt8]]
) -> Result<[TextRecord], OperationError> {
  var reader = reader
  var records: [TextRecord] = []
  do throws(OperationError) {
    for piece in pieces { records += try reader.received(piece) }
    records += try reader.ended()
  } catch { return .failure(error) }
  return .success(records)
}
