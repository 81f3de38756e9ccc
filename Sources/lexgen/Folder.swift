// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A folder of documents or generated files.
struct Folder {
  let path: String

  func bytes(of name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(filePath: "\(path)/\(name)")))
  }

  /// Returns all files below the folder with a suffix, in order.
  func files(ending suffix: String) throws -> [SourceFile] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.hasSuffix(suffix) }.sorted().map {
      SourceFile(path: $0, bytes: try bytes(of: $0))
    }
  }

  /// Returns the names of files that are missing, different or unexpected, in order.
  func differences(from files: [(name: String, text: String)]) throws -> [String] {
    var expected = Dictionary(uniqueKeysWithValues: files.map { ($0.name, Array($0.text.utf8)) })
    var names: [String] = []
    if FileManager.default.fileExists(atPath: path) {
      for file in try self.files(ending: ".swift") where expected.removeValue(forKey: file.path) != file.bytes
      {
        names.append(file.path)
      }
    }
    return (names + expected.keys).sorted()
  }

  /// Writes those files that are in the list of names, and removes listed ones that are no longer generated.
  func write(_ files: [(name: String, text: String)], over names: [String]) throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for name in names {
      let url = URL(filePath: "\(path)/\(name)")
      if let file = files.first(where: { $0.name == name }) {
        try Data(file.text.utf8).write(to: url)
      } else {
        try FileManager.default.removeItem(at: url)
      }
    }
  }
}
