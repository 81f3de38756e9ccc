// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A temporary folder for the input and output files of the demo.
struct DemoFolder {
  let path: String

  /// - Throws: ``CommandFault`` if it cannot be written.
  init(in process: RunContext, files: [String: String]) throws(CommandFault) {
    var template = Array("\(process.environment["TMPDIR"] ?? "/tmp")/kith-demo.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw CommandFault(.fileTrouble, .systemError("temporary folder", String(cString: strerror(errno))))
    }
    path = String(cString: made)
    for (name, text) in files {
      guard let file = fopen("\(path)/\(name)", "w"), fputs(text, file) >= 0, fclose(file) == 0 else {
        let reason = String(cString: strerror(errno))
        remove()
        throw CommandFault(.fileTrouble, .systemError("\(path)/\(name)", reason))
      }
    }
  }

  func remove() {
    // If this fails, the system cleans up its temporary folder.
    try? FileManager.default.removeItem(atPath: path)
  }
}
