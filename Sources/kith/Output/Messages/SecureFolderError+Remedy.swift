// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

extension SecureFolderError {
  /// What the user can do about it; nil if the system's message has to suffice.
  var remedy: String? {
    switch reason {
    case .accessibleToOthers(_, let wanted): "run chmod \(Self.octal(wanted)) \(quotedPath)"
    case .parentWritableByOthers: "run chmod go-w \(quotedPath), or use another folder"
    case .writableByOthers: "if the content is yours, run chmod go-w \(quotedPath)"
    case .foreignOwner(let user): "run as user \(user), or use another folder"
    case .symbolicLink: "remove the link"
    case .hardLink: "replace it with a copy"
    case .notAFolder, .notAFile, .notASocket: "remove it, or use another folder"
    case .tooLarge, .relativePath, .system: nil
    }
  }

  /// The remedy for a session file, which others may have used.
  var sessionRemedy: String? {
    guard case .accessibleToOthers = reason else { return remedy }
    return remedy.map { "\($0), and sign in again if others may have used it" }
  }

  /// The path quoted as one shell word.
  private var quotedPath: String { path.inShellQuotes }
}

extension CommandFault {
  /// The fault of a file or folder that is rejected, or that the system refuses.
  ///
  /// - Parameter name: what the user called it, for a refusal of the system.
  init(_ error: SecureFolderError, about name: String? = nil) {
    guard case .system(_, let code) = error.reason else {
      self.init(.fileTrouble, .unsafeFile(error))
      return
    }
    self.init(.fileTrouble, .systemError(name ?? error.path, String(cString: strerror(code))))
  }
}
