// SPDX-License-Identifier: Apache-2.0

/// Buffers lines and writes them in pieces that a pipe accepts atomically.
///
/// Even a killed run leaves only complete lines in a pipe, if they are shorter than `PIPE_BUF`.
struct LineOutput: ~Copyable {
  /// The largest atomic write to a pipe: `PIPE_BUF` on Linux.
  private static var pipePiece: Int { 4_096 }
  /// The size of writes to a file; larger ones are not faster.
  private static var filePiece: Int { 64 << 10 }

  private let descriptor: OutputDescriptor
  private let progress: ProgressLine?
  private let pieceSize: Int
  private var buffer: [UInt8] = []

  /// - Parameter progress: the line to clear before each write, if both are on a terminal.
  init(to descriptor: OutputDescriptor, progress: ProgressLine? = nil) {
    self.descriptor = descriptor
    self.progress = descriptor.isTerminal ? progress : nil
    pieceSize = descriptor.isFile ? Self.filePiece : Self.pipePiece
  }

  /// Whether the output is a regular file; anything else may lead to a terminal.
  var isFile: Bool { descriptor.isFile }

  /// The width of the terminal; nil if the output is not one.
  var columns: Int? { descriptor.columns }

  /// Adds a line, given without its line break.
  ///
  /// - Throws: ``CommandFault`` if the output cannot be written.
  mutating func line(_ text: some Collection<UInt8>) throws(CommandFault) {
    if buffer.count + text.count + 1 > pieceSize { try flush() }
    buffer.append(contentsOf: text)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= pieceSize { try flush() }
  }

  /// Writes the buffered lines.
  mutating func flush() throws(CommandFault) {
    if buffer.isEmpty { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    guard let progress else { return try descriptor.write(buffer) }
    try progress.makingWay { () throws(CommandFault) in try descriptor.write(buffer) }
  }
}
