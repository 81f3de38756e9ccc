// SPDX-License-Identifier: Apache-2.0

/// A line that counts along on a terminal, and leaves no trace.
final class ProgressLine {
  /// Rows between two repaints: often enough to see it move, seldom enough to cost nothing.
  private static let step = 30

  private let terminal: OutputDescriptor
  private let verb: String
  private let isShown: Bool
  private var count = 0
  private var isPainted = false

  /// - Parameters:
  ///   - verb: what happens to each row: `checked`.
  ///   - isWanted: shown only if it is, and only on a terminal.
  init(on terminal: OutputDescriptor, verb: String, isWanted: Bool) {
    self.terminal = terminal
    self.verb = verb
    isShown = isWanted && terminal.isTerminal
  }

  /// Counts a row.
  func advance() {
    count += 1
    if isShown, count % Self.step == 0 { paint() }
  }

  /// Makes way for other output.
  func clear() {
    guard isPainted else { return }
    isPainted = false
    write("\r\u{1B}[K")
  }

  private func paint() {
    isPainted = true
    write("\r\u{1B}[K\(count) \(verb)")
  }

  /// Progress that cannot be shown is no trouble of the run.
  private func write(_ text: String) {
    do throws(CommandFault) { try terminal.write(Array(text.utf8)) } catch {}
  }
}
