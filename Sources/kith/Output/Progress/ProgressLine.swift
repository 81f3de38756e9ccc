// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

/// A progress line on a terminal, repainted regularly and removed at the end.
final class ProgressLine: Sendable {
  /// The terminal that shows the line.
  struct Canvas: Sendable {
    /// The current width in cells.
    let columns: @Sendable () -> Int
    let write: @Sendable (String) -> Void
  }

  /// The time between repaints: smooth, but cheap.
  private static let interval = Duration.milliseconds(100)
  private static let erasure = "\r\u{1B}[K"

  private struct State {
    var progress: ProgressState
    var isPainted = false
    var isOver = false
    /// Whether nothing is painted until the next progress.
    var isPaused = false
  }

  private let canvas: Canvas?
  private let time: TimeSource
  private let traffic: @Sendable () -> ProgressState.Traffic
  private let write: @Sendable (Message) -> Void
  private let state: PosixMutex<State>
  private let ticking: Task<Void, Never>?

  /// Starts counting, and painting after the first interval.
  ///
  /// - Parameters:
  ///   - canvas: nil to show nothing.
  ///   - verb: the participle for a row, such as `checked`.
  ///   - write: writes a message to standard error.
  ///   - traffic: called before each repaint.
  init(
    on canvas: Canvas?, verb: String, time: TimeSource = .system,
    write: @escaping @Sendable (Message) -> Void,
    traffic: @escaping @Sendable () -> ProgressState.Traffic
  ) {
    self.canvas = canvas
    self.time = time
    self.traffic = traffic
    self.write = write
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

  /// Whether it is shown.
  var isShown: Bool { canvas != nil }

  /// Counts rows.
  func advance(by count: Int = 1) {
    change { progress in for _ in 0..<count { progress.advance() } }
  }

  /// Sets the number of rows so far.
  func reach(_ count: Int) {
    change { $0.reach(count) }
  }

  /// Sets the progress of work that is counted elsewhere; see ``ProgressState/report(_:of:as:wait:notes:)``.
  func report(_ count: Int, of total: Int?, as verb: String, wait: String?, notes: [String]) {
    change { $0.report(count, of: total, as: verb, wait: wait, notes: notes) }
  }

  private func change(_ body: (inout ProgressState) -> Void) {
    guard isShown else { return }
    state.withLock { state in
      state.isPaused = false
      body(&state.progress)
    }
  }

  /// Clears the line until the next progress, for a question.
  func pause() {
    guard let canvas else { return }
    state.withLock { state in
      state.isPaused = true
      Self.erase(&state, on: canvas)
    }
  }

  /// Sets the expected number of rows.
  func expect(_ total: Int) { state.withLock { $0.progress.total = total } }

  /// Clears the line while something else is written to the terminal.
  func makingWay<Fault: Error>(_ body: () throws(Fault) -> Void) throws(Fault) {
    guard let canvas else { return try body() }
    let outcome: Result<Void, Fault> = state.withLock { state in
      Self.erase(&state, on: canvas)
      do throws(Fault) { return .success(try body()) } catch { return .failure(error) }
    }
    try outcome.get()
  }

  /// Writes a message to standard error.
  func report(_ message: Message) { makingWay { write(message) } }

  /// Removes the line permanently.
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
      if state.isOver || state.isPaused { return }
      // The last cell stays free: a terminal may wrap when it is filled.
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
  /// Nil if the descriptor is not a terminal.
  init?(_ terminal: OutputDescriptor) {
    guard terminal.isTerminal else { return nil }
    columns = { terminal.columns ?? 80 }
    // Failing to show progress is not an error of the run.
    write = { text in do throws(CommandFault) { try terminal.write(Array(text.utf8)) } catch {} }
  }
}
