// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Why a ``SecureFolder`` or a file in it is rejected.
package struct SecureFolderError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What is wrong with the file or folder.
  package enum Reason: Sendable, Hashable {
    /// Other users have access to it by its `mode`; the permissions have to be `wanted`.
    case accessibleToOthers(mode: UInt32, wanted: UInt32)
    /// Other users can rename entries of this folder, which is on the path to the requested one, or is that one.
    case parentWritableByOthers(mode: UInt32)
    /// Other users can change the content of the file, which would be trusted.
    case writableByOthers(mode: UInt32)
    /// It belongs to another user.
    case foreignOwner(UInt32)
    /// It is a symbolic link.
    case symbolicLink
    /// It has a second hard link, which may be in a folder of another user.
    case hardLink
    /// It is not a folder.
    case notAFolder
    /// It is not a regular file.
    case notAFile
    /// It is not a socket.
    case notASocket
    /// It is larger than such a file ever is.
    case tooLarge(limit: Int)
    /// The path does not begin at the root.
    case relativePath
    /// A system call failed; the number is that of `errno`.
    case system(Attempt, Int32)
  }

  /// The kinds of reasons, by their names in machine-readable output.
  package enum Code: String, Sendable, CaseIterable {
    case accessibleToOthers, parentWritableByOthers, writableByOthers, foreignOwner, symbolicLink, hardLink
    case notAFolder, notAFile, notASocket, tooLarge, relativePath, system
  }

  /// What the system refused to do.
  package enum Attempt: String, Sendable, Hashable {
    case open = "opened"
    case create = "created"
    case read = "read"
    case write = "written"
    case remove = "removed"
    case lock = "locked"
  }

  /// The file or folder.
  package let path: String
  /// What is wrong with it.
  package let reason: Reason

  package init(path: String, _ reason: Reason) {
    self.path = path
    self.reason = reason
  }

  /// The kind of the reason.
  package var code: Code {
    switch reason {
    case .accessibleToOthers: .accessibleToOthers
    case .parentWritableByOthers: .parentWritableByOthers
    case .writableByOthers: .writableByOthers
    case .foreignOwner: .foreignOwner
    case .symbolicLink: .symbolicLink
    case .hardLink: .hardLink
    case .notAFolder: .notAFolder
    case .notAFile: .notAFile
    case .notASocket: .notASocket
    case .tooLarge: .tooLarge
    case .relativePath: .relativePath
    case .system: .system
    }
  }

  /// Whether another user may have changed or read the file or folder.
  package var isUnsafe: Bool {
    switch reason {
    case .tooLarge, .relativePath, .system: false
    default: true
    }
  }

  /// Whether the disk was full.
  package var isDiskFull: Bool {
    if case .system(_, let code) = reason { code == ENOSPC || code == EDQUOT } else { false }
  }

  /// The reason as a phrase.
  package var detail: String {
    switch reason {
    case .accessibleToOthers(let mode, _): "other users have access to it (mode \(Self.octal(mode)))"
    case .parentWritableByOthers(let mode):
      "other users can replace entries of this folder (mode \(Self.octal(mode)))"
    case .writableByOthers(let mode): "other users can change it (mode \(Self.octal(mode)))"
    case .foreignOwner(let user): "it belongs to another user (\(user))"
    case .symbolicLink: "it is a symbolic link"
    case .hardLink: "it has a second hard link"
    case .notAFolder: "it is not a folder"
    case .notAFile: "it is not a regular file"
    case .notASocket: "it is not a socket"
    case .tooLarge(let limit): "it holds more than \(limit) bytes"
    case .relativePath: "the path is not absolute"
    case .system(let attempt, let code):
      "it cannot be \(attempt.rawValue): \(String(cString: strerror(code)))"
    }
  }

  package var description: String { "\(path): \(detail)" }

  /// Formats permissions as `chmod` takes them.
  package static func octal(_ mode: UInt32) -> String { String(mode & 0o7777, radix: 8) }
}
