// SPDX-License-Identifier: Apache-2.0

/// One entry of an input file, and where it stands.
struct TextRecord: Sendable, Equatable {
  let text: String
  /// The number of the line where it begins, from 1.
  let line: Int
}

/// Cuts bytes into entries: told of pieces of any size, it gives the entries that are complete.
protocol RecordReader: Sendable {
  /// Takes the next piece.
  ///
  /// - Throws: ``CommandFault`` when the file as a whole cannot be read as what it was said to be.
  mutating func received(_ piece: [UInt8]) throws(CommandFault) -> [TextRecord]

  /// The entry that the end of the file completes.
  mutating func ended() throws(CommandFault) -> [TextRecord]
}
