// SPDX-License-Identifier: Apache-2.0

/// What is said of a verb that is none: which one was perhaps meant, and which there are.
struct CommandSuggestion {
  let message: String

  /// Nil when the first argument is a command, or an option.
  init?(verb: String?, among commands: [String]) {
    guard let verb, !verb.hasPrefix("-"), !commands.contains(verb), verb != "help" else { return nil }
    let nearest = commands.min { Self.distance(verb, $0) < Self.distance(verb, $1) }
    let guess = nearest.flatMap { Self.distance(verb, $0) <= 2 ? "; did you mean \($0)?" : nil }
    message =
      "\"\(verb)\" is no command"
      + (guess ?? "; there are \(commands.joined(separator: ", ")); see kith --help")
  }

  /// Letters to change, add or drop to make one word of the other (Levenshtein).
  static func distance(_ one: String, _ other: String) -> Int {
    let letters = Array(other)
    var row = Array(0...letters.count)
    for (line, letter) in one.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for (column, candidate) in letters.enumerated() {
        let changed = diagonal + (letter == candidate ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(changed, diagonal + 1, row[column] + 1)
      }
    }
    return row[letters.count]
  }
}
