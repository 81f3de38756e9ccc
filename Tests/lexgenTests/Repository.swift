// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import lexgen

/// The folders of this repository that the tests read, found from the path of this file.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path()

  static let lexicons = Folder(path: root + "Lexicons")
  static let generated = Folder(path: root + "Sources/KithLexicons")
  static let generatedCatalog = Folder(path: root + "Tests/lexgenTests/Generated")

  /// The text of a file beside the lexicons.
  static func text(of name: String) throws -> String {
    String(decoding: try lexicons.bytes(of: name), as: UTF8.self)
  }
}
