// SPDX-License-Identifier: Apache-2.0

/// A line on a terminal's stderr that counts along, and leaves no trace.
struct ProgressLine {
  /// Rows between two repaints: often enough to see it move, seldom enough to cost nothing.
  private static let step = 30

  private let isShown: Bool
  private var count = 0
  private var isPainted = false

  init(isShown: Bool) { self.isShown = isShown }

  mutating func advance() {
    count += 1
    guard isShown, count % Self.step == 0 else { return }
    StandardError.write("\r\u{1B}[K\(count) checked")
    isPainted = true
  }

  mutating func clear() {
    guard isPainted else { return }
    StandardError.write("\r\u{1B}[K")
    isPainted = false
  }
}
