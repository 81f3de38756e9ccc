// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A file, pipe or terminal that is open for writing.
struct OutputDescriptor: Sendable {
  let number: Int32
  /// The display name.
  let name: String

  var isTerminal: Bool { isatty(number) == 1 }

  /// Whether it is a regular file.
  var isFile: Bool {
    var status = stat()
    return fstat(number, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// The width of the terminal in cells; nil if it is not a terminal or reports none.
  var columns: Int? {
    var size = winsize()
    guard ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  /// Writes all bytes, waiting as long as the reader needs.
  ///
  /// - Throws: ``CommandFault``: `readerGone` without a message on EPIPE, as other shell tools do;
  ///   `fileTrouble` with the system's reason.
  func write(_ bytes: [UInt8]) throws(CommandFault) {
    var remaining = bytes[...]
    while !remaining.isEmpty {
      let written = remaining.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
      if written >= 0 {
        remaining = remaining.dropFirst(written)
        continue
      }
      switch errno {
      case EINTR: continue
      case EAGAIN: DescriptorReadiness.output.wait(on: number)
      case EPIPE: throw CommandFault(.readerGone)
      default: throw CommandFault(.fileTrouble, .systemError(name, String(cString: strerror(errno))))
      }
    }
  }
}
