// SPDX-License-Identifier: Apache-2.0

import Foundation
import FuzzEntries

/// A folder of the files that fuzzers start from, and the entry that takes them.
enum CorpusPart: String, CaseIterable {
  case answers
  case identifiers
  case input
  case json
  case streams

  struct File {
    let name: String
    let bytes: [UInt8]
  }

  static let fuzzing = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../Fuzzing").standardizedFileURL

  /// The files of a folder in the order of their names.
  static func files(in folder: URL) throws -> [File] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted().map { name in
      File(name: name, bytes: Array(try Data(contentsOf: folder.appending(path: name))))
    }
  }

  func files() throws -> [File] {
    try Self.files(in: Self.fuzzing.appending(path: "Corpus").appending(path: rawValue))
  }

  func run(_ bytes: [UInt8]) async throws -> [String: Int] {
    switch self {
    case .answers: try await fuzzAnswers(bytes)
    case .identifiers: try fuzzIdentifiers(bytes)
    case .input: try fuzzInput(bytes)
    case .json: try fuzzJSON(bytes)
    case .streams: try fuzzStreams(bytes)
    }
  }

  /// Runs the entry with each file, and returns a line for each: its name, and what the entry accepted or which rule broke.
  func lines(_ files: [File]) async throws -> [String] {
    var lines: [String] = []
    for file in files {
      let line: String
      do {
        let accepted = try await run(file.bytes).sorted { $0.key < $1.key }
        line = accepted.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      } catch let broken as BrokenInvariant {
        line = "broken: \(broken)"
      }
      lines.append("\(file.name): \(line)")
    }
    return lines
  }
}
