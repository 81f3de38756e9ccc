// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Ends another thread's `poll`. Its descriptors are closed with the last reference, so no thread can write
/// to a descriptor that was reused.
final class WakePipe: Sendable {
  /// The descriptor to poll.
  let readEnd: Int32
  private let writeEnd: Int32

  /// Opens the pipe; nil if the process has no descriptors left.
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

  /// Makes the read end readable. A full pipe is fine: the reader wakes up anyway.
  func wake() {
    var byte: UInt8 = 0
    _ = write(writeEnd, &byte, 1)
  }

  /// Empties the pipe.
  func drain() {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
      while read(readEnd, buffer.baseAddress, buffer.count) == buffer.count {}
    }
  }
}
