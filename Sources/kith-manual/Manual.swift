// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// All pages, made from the command's own help.
struct Manual {
  /// A command that has a page.
  struct Entry {
    /// The names from the root on, such as `kith`, `jobs`, `undo`.
    let path: [String]
    let command: CommandInfo
    let discussion: Discussion

    /// As a shell takes it: `kith jobs undo`.
    var invocation: String { path.joined(separator: " ") }
    /// The name of its page: `kith-jobs-undo`.
    var name: String { path.joined(separator: "-") }
  }

  let version: String
  let date: String
  /// The root, then each command before its subcommands.
  let entries: [Entry]

  /// - Parameters:
  ///   - json: what `--experimental-dump-help` prints.
  ///   - date: as `2026-01-31`.
  /// - Throws: `DecodingError`.
  init(json: Data, version: String, date: String) throws {
    self.init(
      try JSONDecoder().decode(CommandTree.self, from: json).command, version: version, date: date)
  }

  init(_ root: CommandInfo, version: String, date: String) {
    self.version = version
    self.date = date
    entries = Self.entries(of: root, below: [])
  }

  private static func entries(of command: CommandInfo, below parent: [String]) -> [Entry] {
    guard command.shouldDisplay ?? true else { return [] }
    let path = parent + [command.commandName]
    return [Entry(path: path, command: command, discussion: Discussion(command.discussion ?? ""))]
      + (command.subcommands ?? []).flatMap { entries(of: $0, below: path) }
  }

  var pages: [ManualPage] { entries.map { ManualPage($0, of: self) } }

  /// The section of the root's discussion, which holds for all commands.
  func table(_ section: Discussion.Section) -> [Discussion.Row] {
    entries[0].discussion.tables[section] ?? []
  }

  /// The entries right below another.
  func subcommands(of entry: Entry) -> [Entry] { entries.filter { $0.path.dropLast() == entry.path[...] } }

  /// The entry that another stands below; nil for the root.
  func parent(of entry: Entry) -> Entry? { entries.first { $0.path[...] == entry.path.dropLast() } }

  /// The examples of a command; for one without any, the lines that call it in the examples of others.
  func examples(of entry: Entry) -> [[String]] {
    if !entry.discussion.examples.isEmpty { return entry.discussion.examples }
    var lines: [String] = []
    for line in entries.flatMap(\.discussion.examples).joined() {
      guard !lines.contains(line), self.entry(calledBy: line)?.path == entry.path else { continue }
      lines.append(line)
    }
    return lines.isEmpty ? [] : [lines]
  }

  /// The commands that a text names, such as `kith jobs undo`, each once.
  func mentions(in text: String) -> [Entry] {
    var found: [Entry] = []
    let words = text.split { !($0.isLetter || $0.isNumber || $0 == "-") }
    for index in words.indices where String(words[index]) == entries[0].name {
      guard let entry = entry(calledBy: words[index...]), entry.path.count > 1,
        !found.contains(where: { $0.path == entry.path })
      else { continue }
      found.append(entry)
    }
    return found
  }

  /// The command that a line begins with, by the longest path.
  private func entry(calledBy line: String) -> Entry? {
    entry(calledBy: line.split(separator: " ")[...])
  }

  private func entry(calledBy words: ArraySlice<Substring>) -> Entry? {
    entries.last { entry in words.starts(with: entry.path) { $0 == $1 } }
  }
}
