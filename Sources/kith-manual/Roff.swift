// SPDX-License-Identifier: Apache-2.0

/// Text of a manual page, in the macros of man(7).
struct Roff {
  /// The longest line of filled text, in bytes; longer ones draw a style warning.
  static let width = 78

  private(set) var lines: [String] = []

  /// Everything that was added, as the contents of a file.
  var text: String { lines.joined(separator: "\n") + "\n" }

  /// Adds the title line, and settings of the page: text is not hyphenated and has a ragged right edge.
  ///
  /// The title line is not escaped: programs other than formatters read it.
  mutating func title(_ name: String, date: String, source: String, manual: String) {
    lines.append(".TH \(name) 1 \(date) \"\(source)\" \"\(manual)\"")
    macro("nh")
    macro("ad", "l")
  }

  /// Adds a macro with arguments, each quoted if it has to be.
  mutating func macro(_ name: String, _ arguments: String...) {
    lines.append(([".\(name)"] + arguments.map(Self.argument)).joined(separator: " "))
  }

  /// Adds text that is filled, wrapped at ``width`` and after each sentence.
  ///
  /// - Parameter text: already escaped.
  mutating func fill(_ text: String) {
    var line = ""
    for word in text.split(separator: " ") {
      if !line.isEmpty, line.utf8.count + 1 + word.utf8.count > Self.width {
        self.line(line)
        line = ""
      }
      line += line.isEmpty ? "\(word)" : " \(word)"
      if Self.endsSentence(word) {
        self.line(line)
        line = ""
      }
    }
    if !line.isEmpty { self.line(line) }
  }

  /// Adds lines that keep their breaks and are indented.
  mutating func example(_ example: [String]) {
    macro("RS", "4")
    macro("EX")
    for line in example { self.line(Self.escape(line)) }
    macro("EE")
    macro("RE")
  }

  /// Adds escaped text as one line, which is not a macro.
  mutating func line(_ line: String) {
    lines.append(line.hasPrefix(".") || line.hasPrefix("'") ? "\\&" + line : line)
  }

  private static func endsSentence(_ word: Substring) -> Bool {
    if word.hasSuffix("...") { return false }
    let core = word.reversed().drop { $0 == ")" || $0 == "\"" }
    return core.first.map { ".!?".contains($0) } ?? false
  }

  private static func argument(_ text: String) -> String {
    let escaped = escape(text)
    return escaped.contains(" ") || escaped.isEmpty ? "\"\(escaped)\"" : escaped
  }

  /// Text that prints as it is: ASCII stays ASCII, so that options and addresses can be searched and copied.
  static func escape(_ text: some StringProtocol) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\e"
      case "-": escaped += "\\-"
      case "'": escaped += "\\(aq"
      case "`": escaped += "\\(ga"
      case "^": escaped += "\\(ha"
      case "~": escaped += "\\(ti"
      case "\"": escaped += "\\(dq"
      case " "..."~": escaped.unicodeScalars.append(scalar)
      default: escaped += "\\[u\(hexadecimal(scalar))]"
      }
    }
    return escaped
  }

  private static func hexadecimal(_ scalar: Unicode.Scalar) -> String {
    let digits = String(scalar.value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  /// Literal text, such as the name of an option.
  static func bold(_ text: some StringProtocol) -> String { "\\fB\(escape(text))\\fR" }

  /// The name of a value.
  static func italic(_ text: some StringProtocol) -> String { "\\fI\(escape(text))\\fR" }
}
