// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What a descriptor is waited for.
enum DescriptorReadiness {
  /// Something can be read, or the end has come.
  case input
  /// Something can be written.
  case output

  /// Blocks until a descriptor is ready, or has met trouble that the next call tells of.
  ///
  /// Some descriptors come in a mode in which calls do not wait by themselves: it is that of the open file, and
  /// whoever else has a terminal or a pipe open may set it.
  func wait(on descriptor: Int32) {
    let events = self == .input ? POLLIN : POLLOUT
    var polled = pollfd(fd: descriptor, events: Int16(events), revents: 0)
    while poll(&polled, 1, -1) < 0, errno == EINTR {}
  }
}
