// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

/// A `kith` process on a pseudo-terminal that the test controls.
final class PseudoTerminal: @unchecked Sendable {
  // Sendable: used by a single test.
  private var screen: Int32
  private var line: Int32
  private let process = Process()
  private(set) var transcript = ""

  /// `TIOCSPTLCK` and `TIOCGPTN` of Linux, macros that Swift does not import.
  private static let (setLock, getNumber) = (UInt(0x4004_5431), UInt(0x8004_5430))

  /// - Parameters:
  ///   - shell: whether the one argument is a line for bash, which finds `kith` on its path.
  ///   - columns: how wide the window is; nil for unknown.
  init(
    _ arguments: [String], environment: [String: String], inShell shell: Bool = false, columns: UInt16? = nil,
    folder: URL? = nil
  ) throws {
    screen = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (number, isLocked) = (UInt32(0), Int32(0))
    guard screen >= 0, ioctl(screen, Self.setLock, &isLocked) == 0,
      ioctl(screen, Self.getNumber, &number) == 0
    else { throw POSIXError(.ENXIO) }
    line = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    if let columns {
      var size = winsize(ws_row: 50, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
      _ = ioctl(screen, UInt(TIOCSWINSZ), &size)
    }
    let programs = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let program = shell ? ["bash", "-c"] : [programs.appending(path: "kith").path()]
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--default-signal=INT,TERM,HUP", "setsid", "--ctty", "--wait"] + program + arguments
    let inherited = ProcessInfo.processInfo.environment.filter {
      ["PATH", "LD_LIBRARY_PATH", "TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key)
    }
    process.environment = inherited.merging(environment) { _, named in named }
    if shell { process.environment?["PATH"] = "\(programs.path()):\(inherited["PATH"] ?? "")" }
    if let folder { process.currentDirectoryURL = folder }
    let handle = FileHandle(fileDescriptor: line)
    (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
    try process.run()
  }

  deinit {
    if screen >= 0 { close(screen) }
    if line >= 0 { close(line) }
  }

  /// Reads to the end of what runs at the terminal.
  ///
  /// - Parameter answers: lines that are typed, each at the next prompt.
  func read(answering answers: [String]) async -> String {
    close(line)
    line = -1
    return await blocking { [self] in
      var answers = answers[...]
      var (text, bytes) = ([UInt8](), [UInt8](repeating: 0, count: 4 << 10))
      while true {
        var poll = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Self.longestSilence) == 1 else { break }
        let count = Glibc.read(screen, &bytes, bytes.count)
        // The terminal is gone with the last process that has it.
        guard count > 0 else { break }
        text += bytes.prefix(count)
        if Self.prompts.contains(where: { text.reversed().starts(with: $0.utf8.reversed()) }),
          let answer = answers.popFirst()
        {
          type(answer + "\n")
        }
      }
      return String(decoding: text, as: UTF8.self)
    }
  }

  /// How long to wait for output, in milliseconds: longer than any machine needs, so only a hang is a failure.
  private static let longestSilence: Int32 = 300_000

  /// What stands before the cursor where an answer is awaited.
  private static let prompts = ["[y/N] ", "): "]

  /// Whether echo is on.
  var showsInput: Bool {
    var settings = termios()
    return tcgetattr(screen, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  /// Sends a signal to the process.
  func send(_ signal: Int32) {
    let group = tcgetpgrp(screen)
    if group > 1 { kill(-group, signal) }
  }

  /// Closes the terminal.
  func hangUp() {
    close(screen)
    screen = -1
  }

  func type(_ text: String) { _ = write(screen, text, text.utf8.count) }

  /// Reads until a text appears; false at the end of the output, or if there is none for minutes.
  func shows(_ text: String) async -> Bool {
    await blocking { [self] in
      var bytes = [UInt8](repeating: 0, count: 4 << 10)
      while !transcript.contains(text) {
        var poll = pollfd(fd: screen, events: Int16(POLLIN), revents: 0)
        guard Glibc.poll(&poll, 1, Self.longestSilence) == 1 else { return false }
        let count = Glibc.read(screen, &bytes, bytes.count)
        guard count > 0 else { return false }
        transcript += String(decoding: bytes.prefix(count), as: UTF8.self)
      }
      return true
    }
  }

  func status() async -> Int32 {
    await blocking { [self] in
      process.waitUntilExit()
      return process.terminationStatus
    }
  }
}
