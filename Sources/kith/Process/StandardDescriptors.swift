// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The places of stdin, stdout and stderr.
enum StandardDescriptors {
  /// Takes those places that whoever started the process left empty, before a socket gets one of them and
  /// rows are written into it. What takes them is open the wrong way round, so that their use still fails.
  static func occupy() {
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is given: this one, for those below are taken.
      _ = open("/dev/null", mode)
    }
  }
}
