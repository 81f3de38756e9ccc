// SPDX-License-Identifier: Apache-2.0

import FuzzDriver
import Glibc
import KithCore
import KithOperations
import KithRelationships

/// Files of targets: they give the same entries however they come in pieces, and each is an actor or is none.
@main enum FuzzInput {
  static func main() {
    exit(
      Fuzzing.run { start, count in
        // The first byte says how large the pieces are.
        let bytes = Fuzzing.bytes(start, count)
        let size = max(1, Int(bytes.first ?? 1))
        let file = Array(bytes.dropFirst())
        FuzzInput.check(LineReader(), file, size)
        FuzzInput.check(LineReader(longestLine: 8), file, size)
        FuzzInput.check(CSVColumnReader(column: "did", file: "a.csv"), file, size)
        return 0
      })
  }

  private static func check(_ reader: some TextRecordReader, _ file: [UInt8], _ size: Int) {
    let whole = records(reader, [file])
    let pieces = stride(from: 0, to: file.count, by: size).map {
      Array(file[$0..<min($0 + size, file.count)])
    }
    precondition(records(reader, pieces) == whole, "other entries in pieces of \(size)")
    for record in (try? whole.get()) ?? [] {
      precondition(record.line >= 1)
      guard let actor = try? ActorInput(parsing: record.text) else { continue }
      precondition((try? ActorInput(parsing: actor.identifier.description)) == actor)
    }
  }

  private static func records(
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
}
