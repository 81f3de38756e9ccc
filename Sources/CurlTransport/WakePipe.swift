// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends another thread's `poll`. Its descriptors close with the last reference to it, so that no thread
/// can write where something else has been opened.
final class WakePipe: Sendable {
  /// The descriptor to poll for.
  let readEnd: Int32
  private let writeEnd: Int32

  /// Opens the pipe; nil when the process has no descriptors left.
  init?() {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return nil }
    readEnd = ends[0]
    writeEnd = ends[1]
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
  }

  deinit {
    close(readEnd)
    close(writeEnd)
  }

  /// Makes the read end readable. A full pipe is as good: the reader has enough to wake for.
  func wake() {
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Takes out what was written.
  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
    }
  }
}
