// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

/// Where the progress line of a run is found by those who talk and know nothing of it: log lines come from
/// anywhere.
final class ProgressPlace: Sendable {
  private struct State {
    weak var line: ProgressLine?
  }

  private let state = PosixMutex(State())
  private let tell: @Sendable (Message) -> Void

  /// - Parameter tell: says a message on standard error.
  init(tell: @escaping @Sendable (Message) -> Void = StandardError.say) { self.tell = tell }

  /// Takes note of the line that is on the terminal from now on; it is not kept alive.
  func take(_ line: ProgressLine) { state.withLock { $0.line = line } }

  /// Says a message; the progress line makes way for it.
  func say(_ message: Message) {
    guard let line = state.withLock(\.line) else { return tell(message) }
    line.makingWay { tell(message) }
  }
}
