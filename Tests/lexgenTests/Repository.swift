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

  static func rootsText() throws -> String {
    String(decoding: try lexicons.bytes(of: "roots.txt"), as: UTF8.self)
  }
}
