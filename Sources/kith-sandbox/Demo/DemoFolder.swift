// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// A temporary folder for the input and output files of the demo.
struct DemoFolder {
  private let folder: TemporaryFolder

  var path: String { folder.path }

  /// - Throws: ``ProgramFault`` if it cannot be written.
  init(files: [String: String]) throws(ProgramFault) {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    do throws(SecureFolderError) { folder = try TemporaryFolder(named: "kith-demo", in: parent) } catch {
      throw ProgramFault(.fileTrouble, error.description)
    }
    for (name, text) in files {
      guard let file = fopen("\(path)/\(name)", "w"), fputs(text, file) >= 0, fclose(file) == 0 else {
        let fault = ProgramFault.system("\(path)/\(name)")
        remove()
        throw fault
      }
    }
  }

  func remove() { folder.remove() }
}
