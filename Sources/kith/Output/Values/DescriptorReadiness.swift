// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The readiness to wait for.
enum DescriptorReadiness {
  /// Data or end-of-file can be read.
  case input
  /// Data can be written.
  case output

  /// Blocks until a descriptor is ready, or has an error that the next call reports.
  ///
  /// Descriptors can be inherited in non-blocking mode: the mode belongs to the open file, and any process
  /// that shares a terminal or pipe can set it.
  func wait(on descriptor: Int32) {
    let events = self == .input ? POLLIN : POLLOUT
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while poll(&polled, 1, -1) < 0, errno == EINTR {}
  }
}
