// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Asks the person at the terminal, whatever stdin and stdout lead to.
struct TerminalPrompt: Sendable {
  private let path: String
  private let source: ByteSource
  private let descriptor: Int32

  /// nil where there is no terminal.
  ///
  /// - Parameter path: the terminal of this process, unless a test has another one.
  init?(path: String = "/dev/tty") {
    self.path = path
    descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { return nil }
    do throws(CommandFault) { source = try ByteSource(path: path) } catch {
      close(descriptor)
      return nil
    }
  }

  /// Asks for one line.
  ///
  /// - Parameter isSecret: whether what is typed must not be seen. The terminal is as it was afterwards, also
  ///   when the task is cancelled by a signal.
  /// - Throws: ``CommandFault``, before anything is asked where what is typed would be seen; `CancellationError`.
  func ask(_ question: String, isSecret: Bool = false) async throws -> String {
    let before = isSecret ? try hideInput() : nil
    defer {
      if var before {
        tcsetattr(descriptor, TCSAFLUSH, &before)
        write("\n")
      }
    }
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

  /// What is typed next; nothing at the end of input.
  ///
  /// - Throws: ``CommandFault``, `hungUp`, where the terminal was closed: its end of input may be seen before the signal
  ///   that says so.
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

  /// Has the terminal show nothing of what is typed, and gives how it was before.
  private func hideInput() throws(CommandFault) -> termios {
    var before = termios()
    if tcgetattr(descriptor, &before) == 0 {
      var silent = before
      silent.c_lflag &= ~tcflag_t(ECHO)
      // The call succeeds as soon as it could change anything at all.
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
