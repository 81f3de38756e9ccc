// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The arguments of the process.
enum ProcessArguments {
  /// The arguments, beginning with the name of the program.
  ///
  /// Swift finds them below the environment on the stack, and finds none if a preloaded library has moved the
  /// environment. Linux lists them as well.
  static var all: [String] {
    let found = CommandLine.arguments
    return found.isEmpty ? listed(in: contents(of: "/proc/self/cmdline")) : found
  }

  /// The arguments in the contents of `/proc/self/cmdline`: each ends with a zero byte.
  static func listed(in bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  private static func contents(of path: String) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(file, &piece, piece.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += piece[..<count]
    }
  }
}
