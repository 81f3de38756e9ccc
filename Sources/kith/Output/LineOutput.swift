// SPDX-License-Identifier: Apache-2.0

/// Lines on their way out, gathered into writes that a pipe takes whole.
///
/// A run that is killed, however hard, leaves whole lines behind it, as long as they are shorter than
/// ``pieceSize``.
struct LineOutput: ~Copyable {
  /// The most that a pipe takes in one piece or not at all: `PIPE_BUF` of Linux.
  static let pieceSize = 4_096

  private let descriptor: OutputDescriptor
  private let progress: ProgressLine?
  private var buffer: [UInt8] = []

  /// - Parameter progress: makes way before each write, where both are on a terminal.
  init(to descriptor: OutputDescriptor, progress: ProgressLine? = nil) {
    self.descriptor = descriptor
    self.progress = descriptor.isTerminal ? progress : nil
  }

  /// Whether the lines go to a terminal, which obeys what stands in them.
  var isTerminal: Bool { descriptor.isTerminal }

  /// How wide the terminal is that the lines go to, if they do.
  var columns: Int? { descriptor.columns }

  /// Adds a line.
  ///
  /// - Throws: ``CommandFault`` when the output cannot be written.
  mutating func line(_ text: String) throws(CommandFault) {
    if buffer.count + text.utf8.count + 1 > Self.pieceSize { try flush() }
    buffer.append(contentsOf: text.utf8)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.pieceSize { try flush() }
  }

  /// Writes what was gathered.
  mutating func flush() throws(CommandFault) {
    if buffer.isEmpty { return }
    progress?.clear()
    defer { buffer.removeAll(keepingCapacity: true) }
    try descriptor.write(buffer)
  }
}
