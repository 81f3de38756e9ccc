// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A pipe or pseudo-terminal between the test and a process.
struct Stream: Sendable {
  /// The test's end.
  let near: Int32
  /// The process's end; close it here once the process runs.
  let far: Int32

  /// A pipe that the process writes into.
  static func output() -> Stream {
    let ends = pipe()
    return Stream(near: ends.reader, far: ends.writer)
  }

  /// A pipe that the process reads from.
  static func input() -> Stream {
    let ends = pipe()
    return Stream(near: ends.writer, far: ends.reader)
  }

  /// A terminal.
  static func terminal(columns: UInt16) throws -> Stream {
    let near = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    // TIOCSPTLCK and TIOCGPTN of Linux: unlock the other end and get its number.
    var (isLocked, number): (Int32, Int32) = (0, -1)
    guard near >= 0, ioctl(near, 0x4004_5431, &isLocked) == 0, ioctl(near, 0x8004_5430, &number) == 0 else {
      throw POSIXError(.ENOTTY)
    }
    var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(near, UInt(TIOCSWINSZ), &size)
    return Stream(near: near, far: open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC))
  }

  private static func pipe() -> (reader: Int32, writer: Int32) {
    var ends: [Int32] = [-1, -1]
    _ = Foundation.pipe(&ends)
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  func write(_ text: String) async {
    await blocking {
      let bytes = Array(text.utf8)
      _ = Foundation.write(near, bytes, bytes.count)
    }
  }

  /// Reads available text, waiting for some; empty at the end.
  func read() async -> String {
    await blocking {
      var bytes = [UInt8](repeating: 0, count: 64 << 10)
      let count = Foundation.read(near, &bytes, bytes.count)
      return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    }
  }

  /// Reads everything up to the end.
  func readAll() async -> String {
    var text = ""
    while case let piece = await read(), !piece.isEmpty { text += piece }
    return text
  }
}
