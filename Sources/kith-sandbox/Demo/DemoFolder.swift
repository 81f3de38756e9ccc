// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A temporary folder for the input and output files of the demo.
struct DemoFolder {
  let path: String

  /// - Throws: ``ProgramFault`` if it cannot be written.
  init(files: [String: String]) throws(ProgramFault) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/kith-demo.XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else {
      throw .system(parent)
    }
    path = String(cString: made)
    for (name, text) in files {
      guard let file = fopen("\(path)/\(name)", "w"), fputs(text, file) >= 0, fclose(file) == 0 else {
        let fault = ProgramFault.system("\(path)/\(name)")
        remove()
        throw fault
      }
    }
  }

  func remove() {
    // If this fails, the system cleans up its temporary folder.
    try? FileManager.default.removeItem(atPath: path)
  }
}
