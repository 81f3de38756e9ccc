// SPDX-License-Identifier: Apache-2.0

/// The name and version of the program.
enum Program {
  static let name = "kith"
  static let version = "0.2.0"
  /// What each message on stderr starts with.
  static let messagePrefix = "\(name): "
}

extension Program {
  /// The type that a file's name ends with, in lower case: `csv`; nil if it has none.
  static func fileType(of name: String) -> String? {
    let file = name.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: "."), dot > file.startIndex else { return nil }
    return file[file.index(after: dot)...].lowercased()
  }
}
