// SPDX-License-Identifier: Apache-2.0

/// The capabilities of a terminal.
public struct TextStyle: Sendable, Hashable {
  /// The maximum line width in cells; 30 to 200.
  public let columns: Int
  /// Whether to use braille and block characters; otherwise everything is printable ASCII.
  public let unicode: Bool
  /// Whether to use ANSI colours.
  public let colour: Bool

  /// - Parameter columns: clamped to 30 to 200.
  public init(columns: Int = 80, unicode: Bool = true, colour: Bool = false) {
    self.columns = min(max(columns, 30), 200)
    self.unicode = unicode
    self.colour = colour
  }
}

/// A colour or weight of terminal text.
enum Ink: Equatable {
  case series(Int)
  case bold, muted, better, worse

  /// SGR parameters, using the 8 basic colours that every theme has.
  var code: String {
    switch self {
    case .series(let index): ["36", "33", "32", "35", "34", "31"][index % 6]
    case .bold: "1"
    case .muted: "2"
    case .better: "32"
    case .worse: "31"
    }
  }
}

/// A line of text made of spans with one ink each.
struct TextLine {
  private var spans: [(text: String, ink: Ink?)] = []
  private(set) var width = 0

  init(_ text: String = "", _ ink: Ink? = nil) { add(text, ink) }

  mutating func add(_ text: String, _ ink: Ink? = nil) {
    guard !text.isEmpty else { return }
    spans.append((text, ink))
    width += ChartLabel.width(text)
  }

  /// Adds spaces up to a column.
  mutating func pad(to column: Int) { add(String(repeating: " ", count: max(0, column - width))) }

  /// Adds text that ends at a column.
  mutating func add(_ text: String, _ ink: Ink? = nil, endingAt column: Int) {
    pad(to: column - ChartLabel.width(text))
    add(text, ink)
  }

  /// The line for output: truncated to the width, without trailing spaces.
  func rendered(_ style: TextStyle) -> String {
    var (pieces, used) = ([(text: String, ink: Ink?)](), 0)
    for span in spans where used < style.columns {
      let text = ChartLabel.cut(span.text, to: style.columns - used)
      used += ChartLabel.width(text)
      pieces.append((style.unicode ? text : ChartLabel.ascii(text), span.ink))
    }
    while let last = pieces.last {
      let kept = last.text.trailingSpacesRemoved
      if kept.isEmpty {
        pieces.removeLast()
      } else {
        pieces[pieces.count - 1].text = kept
        break
      }
    }
    return pieces.map { piece in
      guard style.colour, let ink = piece.ink else { return piece.text }
      return "\u{1B}[\(ink.code)m\(piece.text)\u{1B}[0m"
    }.joined()
  }
}

extension String {
  fileprivate var trailingSpacesRemoved: String {
    var text = Substring(self)
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
