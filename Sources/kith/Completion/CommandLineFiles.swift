// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithOperations

/// The files that an unfinished command line names.
struct CommandLineFiles {
  /// The longest header line that is looked at.
  private static let mostBytes = 64 << 10

  /// Their paths: those of `--from`, else the words that are neither options nor the command.
  let paths: [String]

  /// - Parameters:
  ///   - words: as the shell has them, with quotes and escapes.
  ///   - home: what `~` stands for.
  init(_ words: [String], home: String?) {
    let words = words.dropFirst().map(Self.unquoted)
    var sources: [String] = []
    for (word, next) in zip(words, words.dropFirst() + [""]) {
      if word == "--from" { sources.append(next) }
      if word.hasPrefix("--from=") { sources.append(String(word.dropFirst(7))) }
    }
    if sources.isEmpty { sources = words.filter { !$0.hasPrefix("-") } }
    paths = sources.map { path in
      guard let home, path.hasPrefix("~/") else { return path }
      return home + path.dropFirst()
    }
  }

  /// The names of the columns of all files that have a header line, each once.
  var columns: [String] {
    var names: [String] = []
    for name in paths.compactMap(Self.header).flatMap(\.names) where !name.isEmpty && !names.contains(name) {
      names.append(name)
    }
    return names
  }

  /// The header of a regular file; nil for anything that a read could block on.
  private static func header(of path: String) -> CSVHeader? {
    let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    var bytes = [UInt8](repeating: 0, count: mostBytes)
    let count = read(descriptor, &bytes, bytes.count)
    guard count > 0 else { return nil }
    var decoder = TextDecoder()
    var text = decoder.decode(Array(bytes[..<count]))
    if count < mostBytes { text += decoder.finish() }
    return CSVHeader(
      startOf: text[ImportReader.startOfFirstLine(in: text[...])...], isWhole: count < mostBytes)
  }

  /// A word without the quotes and escapes of a shell.
  private static func unquoted(_ word: String) -> String {
    var text = ""
    var quote: Character?
    var isEscaped = false
    for character in word {
      if isEscaped {
        text.append(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
      } else {
        text.append(character)
      }
    }
    return text
  }
}
