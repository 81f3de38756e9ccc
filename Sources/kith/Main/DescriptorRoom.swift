// SPDX-License-Identifier: Apache-2.0

import Glibc

/// Whether the process may open as many files as it needs; libraries end it with a signal where they cannot.
enum DescriptorRoom {
  /// Event queues, signals, three databases of three files each, a file of the user, a connection, and the reserve that connections
  /// leave to the others.
  private static let least = 32

  /// Opens and closes as many files.
  ///
  /// - Throws: ``CommandFault`` `fileTrouble` with the system's reason.
  static func check() throws(CommandFault) {
    var opened: [Int32] = []
    defer { for descriptor in opened { close(descriptor) } }
    for _ in 0..<least {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      guard descriptor >= 0 else {
        guard errno == EMFILE || errno == ENFILE else { return }
        throw CommandFault(.fileTrouble, .tooFewDescriptors(String(cString: strerror(errno))))
      }
      opened.append(descriptor)
    }
  }
}
