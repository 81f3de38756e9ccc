// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Gives log output access to the current progress line, so it can be cleared first.
final class ProgressPlace: Sendable {
  private struct State {
    weak var line: ProgressLine?
  }

  private let state = PosixMutex(State())
  private let write: @Sendable (Message) -> Void

  /// - Parameter write: writes a message to standard error.
  init(write: @escaping @Sendable (Message) -> Void) { self.write = write }

  /// Sets the current progress line; it is referenced weakly.
  func show(_ line: ProgressLine) { state.withLock { $0.line = line } }

  /// Writes a message, clearing the progress line first.
  func report(_ message: Message) {
    guard let line = state.withLock(\.line) else { return write(message) }
    line.makingWay { write(message) }
  }
}
