// SPDX-License-Identifier: Apache-2.0

/// The parts of a command's discussion.
///
/// Paragraphs are separated by blank lines. One whose lines all begin with two spaces is an example. One that begins
/// with a title and a colon, such as `Exit codes:`, is a table if that title names a section: its rows are separated
/// by semicolons, and the first word of each is its term.
struct Discussion: Equatable {
  /// A section that is written as a table.
  enum Section: String, CaseIterable {
    case exitStatus = "Exit codes"
    case environment = "Environment"
    case files = "Files"
  }

  struct Row: Equatable {
    var term: String
    var meaning: String

    /// The meaning, with a capital letter and a period.
    var sentence: String { meaning.prefix(1).uppercased() + meaning.dropFirst() + "." }

    /// The environment variables that the row is about or names.
    var variables: [Substring] {
      "\(term) \(meaning)".split { !($0.isUppercase || $0 == "_") }.filter {
        $0.count > 2 && $0.contains("_")
      }
    }
  }

  private(set) var paragraphs: [String] = []
  private(set) var examples: [[String]] = []
  private(set) var tables: [Section: [Row]] = [:]

  init(_ text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for block in lines.split(whereSeparator: { $0.allSatisfy(\.isWhitespace) }) {
      if block.allSatisfy({ $0.hasPrefix("  ") }) {
        examples.append(block.map { String($0.dropFirst(2)) })
      } else {
        add(block.joined(separator: " "))
      }
    }
  }

  private mutating func add(_ paragraph: String) {
    for section in Section.allCases where paragraph.hasPrefix("\(section.rawValue): ") {
      tables[section] = Self.rows(paragraph.dropFirst(section.rawValue.count + 2))
      return
    }
    paragraphs.append(paragraph)
  }

  private static func rows(_ text: Substring) -> [Row] {
    let text = text.hasSuffix(".") ? text.dropLast() : text
    return text.split(separator: "; ").map { entry in
      let parts = entry.split(separator: " ", maxSplits: 1)
      return Row(term: String(parts[0]), meaning: parts.count > 1 ? String(parts[1]) : "")
    }
  }
}
