// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The descriptors of stdin, stdout and stderr.
enum StandardDescriptors {
  /// Fills standard descriptors that are closed at start; otherwise a socket could get one of them, and rows
  /// would be written into it. They are opened in the wrong direction, so using them still fails.
  static func occupy() {
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) < 0 {
      // `open` returns the lowest free number, which is this one.
      _ = open("/dev/null", mode)
    }
  }
}
