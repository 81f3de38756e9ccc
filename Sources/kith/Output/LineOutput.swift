// SPDX-License-Identifier: Apache-2.0

/// Lines on their way out, gathered into writes that a pipe takes whole.
///
/// A run that is killed, however hard, leaves whole lines in a pipe, as long as they are shorter than
/// `PIPE_BUF`.
struct LineOutput: ~Copyable {
  /// The most that a pipe takes in one piece or not at all: `PIPE_BUF` of Linux.
  private static var pipePiece: Int { 4_096 }
  /// Larger writes to a file save nothing more.
  private static var filePiece: Int { 64 << 10 }

  private let descriptor: OutputDescriptor
  private let progress: ProgressLine?
  private let pieceSize: Int
  private var buffer: [UInt8] = []

  /// - Parameter progress: makes way before each write, where both are on a terminal.
  init(to descriptor: OutputDescriptor, progress: ProgressLine? = nil) {
    self.descriptor = descriptor
    self.progress = descriptor.isTerminal ? progress : nil
    pieceSize = descriptor.isFile ? Self.filePiece : Self.pipePiece
  }

  /// Whether the lines go to a terminal, which obeys what stands in them.
  var isTerminal: Bool { descriptor.isTerminal }

  /// How wide the terminal is that the lines go to, if they do.
  var columns: Int? { descriptor.columns }

  /// Adds a line, given without its end.
  ///
  /// - Throws: ``CommandFault`` when the output cannot be written.
  mutating func line(_ text: some Collection<UInt8>) throws(CommandFault) {
    if buffer.count + text.count + 1 > pieceSize { try flush() }
    buffer.append(contentsOf: text)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= pieceSize { try flush() }
  }

  /// Writes what was gathered.
  mutating func flush() throws(CommandFault) {
    if buffer.isEmpty { return }
    defer { buffer.removeAll(keepingCapacity: true) }
    guard let progress else { return try descriptor.write(buffer) }
    try progress.makingWay { () throws(CommandFault) in try descriptor.write(buffer) }
  }
}
