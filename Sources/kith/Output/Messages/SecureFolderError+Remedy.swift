// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

extension SecureFolderError {
  /// What the user can do about it; nil where the system's own words have to do.
  var remedy: String? {
    switch reason {
    case .accessibleToOthers(_, let wanted): "run chmod \(Self.octal(wanted)) \(quotedPath)"
    case .parentWritableByOthers: "run chmod go-w \(quotedPath), or name another folder"
    case .foreignOwner(let user): "run as user \(user), or name another folder"
    case .symbolicLink: "remove the link"
    case .hardLink: "replace it with a copy of its own"
    case .notAFolder, .notAFile: "remove it, or name another folder"
    case .tooLarge, .relativePath, .system: nil
    }
  }

  /// The same where it concerns a session, which others may have used.
  var sessionRemedy: String? {
    guard case .accessibleToOthers = reason else { return remedy }
    return remedy.map { "\($0), and sign in again if others may have used it" }
  }

  /// The path as one word of a shell.
  private var quotedPath: String { "'" + path.replacing("'", with: #"'\''"#) + "'" }
}
