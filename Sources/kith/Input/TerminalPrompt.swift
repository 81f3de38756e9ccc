// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KithOperations

/// Prompts on the controlling terminal, independent of stdin and stdout.
struct TerminalPrompt: Sendable {
  private let path: String
  private let source: any ByteSource
  private let descriptor: Int32

  /// Nil if there is no terminal.
  ///
  /// - Parameter path: the terminal; tests pass another one.
  init?(path: String = "/dev/tty") {
    self.path = path
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    do throws(CommandFault) { source = try InputDescriptor(path: path) } catch {
      close(descriptor)
      return nil
    }
  }

  /// Asks for one line. What was typed before the question is discarded: it was not meant as the answer.
  ///
  /// - Parameter isSecret: whether to turn echo off. The terminal mode is restored afterwards, even if a
  ///   signal cancels the task. A shell turns echo on when it takes over a stopped process, so it is turned off
  ///   again, and the question repeated, when the process continues.
  /// - Throws: ``CommandFault`` before the question if echo cannot be turned off; `CancellationError`.
  func ask(_ question: String, isSecret: Bool = false) async throws -> String {
    let before = isSecret ? try hideInput() : nil
    let queue = DispatchQueue(label: "kith.prompt")
    let resumption = isSecret ? await onResumption(in: queue) { askAgain(question) } : nil
    defer {
      resumption?.cancel()
      // After a question that is repeated just now, which turns echo off.
      queue.sync {
        guard var before else { return }
        tcsetattr(descriptor, TCSAFLUSH, &before)
        write("\n")
      }
    }
    tcflush(descriptor, TCIFLUSH)
    write(question)
    var line: [UInt8] = []
    while true {
      let piece = try await nextPiece()
      line += piece.prefix { $0 != UInt8(ascii: "\n") }
      if piece.isEmpty || piece.contains(UInt8(ascii: "\n")) { break }
    }
    return String(decoding: line, as: UTF8.self)
  }

  func end() { close(descriptor) }

  /// Lets a body read keys as they are typed, without echo, and draw. The terminal mode is restored afterwards.
  ///
  /// - Parameter redraw: called when the process continues after it was stopped.
  /// - Throws: ``CommandFault`` if the mode cannot be set; what the body throws.
  func withKeys<Value>(
    redraw: @escaping @Sendable () -> Void,
    _ body: (_ keys: @escaping @Sendable () async throws -> [UInt8]) async throws -> Value
  ) async throws -> Value {
    var before = try hideInput(byKey: true)
    let queue = DispatchQueue(label: "kith.keys")
    let resumption = await onResumption(in: queue) {
      do throws(CommandFault) { _ = try hideInput(byKey: true) } catch { return }
      redraw()
    }
    defer {
      resumption.cancel()
      queue.sync { _ = tcsetattr(descriptor, TCSAFLUSH, &before) }
    }
    return try await body { try await nextPiece() }
  }

  /// How wide the terminal is; 80 if it does not say.
  var columns: Int { OutputDescriptor(number: descriptor, name: path).columns ?? 80 }

  /// Writes to the terminal, whatever stdout is.
  func draw(_ text: String) { write(text) }

  /// The next input; empty at the end of input.
  ///
  /// - Throws: ``CommandFault`` `hungUp` if the terminal was closed: its end of input may arrive before
  ///   SIGHUP.
  private func nextPiece() async throws -> [UInt8] {
    func isClosed() -> Bool {
      var state = termios()
      return tcgetattr(descriptor, &state) != 0
    }
    let piece: [UInt8]
    do { piece = try await source.next() } catch  where isClosed() { throw CommandFault(.hungUp) }
    if piece.isEmpty, isClosed() { throw CommandFault(.hungUp) }
    return piece
  }

  /// Calls the closure whenever the process continues after it was stopped, until the source is cancelled.
  ///
  /// Returns once the signal is watched: one that comes before that is lost.
  private func onResumption(
    in queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
  ) async -> any DispatchSourceSignal {
    let source = DispatchSource.makeSignalSource(signal: SIGCONT, queue: queue)
    source.setEventHandler(handler: body)
    await withCheckedContinuation { watched in
      source.setRegistrationHandler { watched.resume() }
      source.activate()
    }
    return source
  }

  /// Turns echo off and repeats the question; what was typed meanwhile is discarded. Without the terminal,
  /// which the answer is read from too, nothing is asked.
  private func askAgain(_ question: String) {
    do throws(CommandFault) { _ = try hideInput() } catch { return }
    write("\n" + question)
  }

  /// Turns echo off and returns the previous mode.
  ///
  /// - Parameter isByKey: whether keys arrive one by one, not line by line. Signals stay.
  private func hideInput(byKey isByKey: Bool = false) throws(CommandFault) -> termios {
    var before = termios()
    if tcgetattr(descriptor, &before) == 0 {
      var silent = before
      silent.c_lflag &= ~tcflag_t(isByKey ? ECHO | ICANON : ECHO)
      // `tcsetattr` succeeds if it changed anything at all, so check the result.
      var now = termios()
      if tcsetattr(descriptor, TCSAFLUSH, &silent) == 0, tcgetattr(descriptor, &now) == 0,
        now.c_lflag & tcflag_t(ECHO) == 0
      {
        return before
      }
    }
    throw CommandFault(.fileTrouble, .echoStays(path))
  }

  private func write(_ text: String) {
    let output = OutputDescriptor(number: descriptor, name: path)
    do throws(CommandFault) { try output.write(Array(text.utf8)) } catch {}
  }
}
