// SPDX-License-Identifier: Apache-2.0

import KithCore

/// Gives log output access to the current progress line, so it can be cleared first.
final class ProgressPlace: Sendable {
  private struct State {
    weak var line: ProgressLine?
  }

  private let state = PosixMutex(State())
  private let tell: @Sendable (Message) -> Void

  /// - Parameter tell: writes a message to standard error.
  init(tell: @escaping @Sendable (Message) -> Void) { self.tell = tell }

  /// Sets the current progress line; it is referenced weakly.
  func take(_ line: ProgressLine) { state.withLock { $0.line = line } }

  /// Writes a message, clearing the progress line first.
  func say(_ message: Message) {
    guard let line = state.withLock(\.line) else { return tell(message) }
    line.makingWay { tell(message) }
  }
}
