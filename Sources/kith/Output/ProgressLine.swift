// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore

/// A line that counts along on a terminal, repainted as time passes, and that leaves no trace.
final class ProgressLine: Sendable {
  /// Where the line is painted.
  struct Canvas: Sendable {
    /// How many cells a line has now.
    let columns: @Sendable () -> Int
    let write: @Sendable (String) -> Void
  }

  /// Between two paintings: often enough to see it move, seldom enough to cost nothing.
  private static let interval = Duration.milliseconds(100)
  private static let erasure = "\r\u{1B}[K"

  private struct State {
    var progress: ProgressState
    var isPainted = false
    var isOver = false
  }

  private let canvas: Canvas?
  private let time: TimeSource
  private let traffic: @Sendable () -> ProgressState.Traffic
  private let state: PosixMutex<State>
  private let ticking: Task<Void, Never>?

  /// Starts counting, and painting after the first interval.
  ///
  /// - Parameters:
  ///   - canvas: nil where nothing is to be shown.
  ///   - verb: what happens to each row: `checked`.
  ///   - traffic: asked before each painting.
  init(
    on canvas: Canvas?, verb: String, time: TimeSource = .system,
    traffic: @escaping @Sendable () -> ProgressState.Traffic
  ) {
    self.canvas = canvas
    self.time = time
    self.traffic = traffic
    let state = PosixMutex(State(progress: ProgressState(verb: verb, startedAt: time.now)))
    self.state = state
    ticking = canvas.map { canvas in
      Task {
        while (try? await time.sleep(for: Self.interval)) != nil {
          Self.paint(state, on: canvas, at: time.now, traffic())
        }
      }
    }
  }

  deinit { ticking?.cancel() }

  /// Whether anybody sees it.
  var isShown: Bool { canvas != nil }

  /// Counts a row, or more of them at once.
  func advance(by count: Int = 1) {
    if isShown { state.withLock { state in for _ in 0..<count { state.progress.advance() } } }
  }

  /// Takes over how many rows there were so far.
  func reach(_ count: Int) {
    if isShown { state.withLock { $0.progress.reach(count) } }
  }

  /// Takes over how far work has come that is counted elsewhere; see ``ProgressState/report(_:of:wait:notes:)``.
  func report(_ count: Int, of total: Int, wait: String?, notes: [String]) {
    if isShown { state.withLock { $0.progress.report(count, of: total, wait: wait, notes: notes) } }
  }

  /// Takes note of how many rows there will be.
  func expect(_ total: Int) { state.withLock { $0.progress.total = total } }

  /// Makes way for what else is written to the terminal.
  func makingWay<Fault: Error>(_ body: () throws(Fault) -> Void) throws(Fault) {
    guard let canvas else { return try body() }
    let outcome: Result<Void, Fault> = state.withLock { state in
      Self.erase(&state, on: canvas)
      do throws(Fault) { return .success(try body()) } catch { return .failure(error) }
    }
    try outcome.get()
  }

  /// Says a message on standard error.
  func say(_ message: Message) { makingWay { StandardError.say(message) } }

  /// Takes the line away for good.
  func end() {
    ticking?.cancel()
    guard let canvas else { return }
    state.withLock { state in
      state.isOver = true
      Self.erase(&state, on: canvas)
    }
  }

  private static func paint(
    _ state: PosixMutex<State>, on canvas: Canvas, at now: Duration, _ traffic: ProgressState.Traffic
  ) {
    state.withLock { state in
      if state.isOver { return }
      // The last cell stays free: a terminal may go to the next line when it is filled.
      let line = state.progress.line(at: now, traffic, columns: max(0, canvas.columns() - 1))
      state.isPainted = true
      canvas.write(erasure + line)
    }
  }

  private static func erase(_ state: inout State, on canvas: Canvas) {
    guard state.isPainted else { return }
    state.isPainted = false
    canvas.write(erasure)
  }
}

extension ProgressLine.Canvas {
  /// Paints on a terminal; nil where the descriptor is none.
  init?(_ terminal: OutputDescriptor) {
    guard terminal.isTerminal else { return nil }
    columns = { terminal.columns ?? 80 }
    // Progress that cannot be shown is no trouble of the run.
    write = { text in do throws(CommandFault) { try terminal.write(Array(text.utf8)) } catch {} }
  }
}
