// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A temporary folder with the files that the demo's commands read.
struct DemoFolder {
  let path: String
  private let files: [String]

  /// - Throws: ``CommandFault`` when it cannot be written.
  init(files: [String: String]) throws(CommandFault) {
    var template = Array("\(ProcessEnvironment.current["TMPDIR"] ?? "/tmp")/kith-demo.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw CommandFault(.fileTrouble, "no temporary folder: \(String(cString: strerror(errno)))")
    }
    path = String(cString: made)
    self.files = Array(files.keys)
    for (name, text) in files {
      guard let file = fopen("\(path)/\(name)", "w"), fputs(text, file) >= 0, fclose(file) == 0 else {
        throw CommandFault(.fileTrouble, "\(path)/\(name): \(String(cString: strerror(errno)))")
      }
    }
  }

  func remove() {
    for name in files { unlink("\(path)/\(name)") }
    rmdir(path)
  }
}
