// SPDX-License-Identifier: Apache-2.0

/// A piece of HTML. Its literals are markup; texts in them are cleaned and escaped.
///
/// Such as `"<a href=\"\(address)\">\(guest: name)</a>"`.
/// A literal stands in the source, so a stranger's text never becomes markup. Attributes stand in double quotes.
/// A literal within an interpolation is a text: markup that depends on a condition needs a constant of type ``HTML``.
package struct HTML: Sendable, Hashable {
  package private(set) var text: String

  /// Nothing.
  package init() { text = "" }

  /// A text without markup.
  package init(text: String) { self.text = ChartLabel.escaped(text, most: .max) }

  /// Text that is HTML already, such as the drawing of a chart.
  package init(markup: String) { text = markup }

  package var isEmpty: Bool { text.isEmpty }

  package static func += (html: inout HTML, more: HTML) { html.text += more.text }

  /// The text in UTF-8.
  package var bytes: [UInt8] { Array(text.utf8) }
}

extension HTML: ExpressibleByStringInterpolation {
  /// Takes only what is written in the source.
  package init(stringLiteral literal: StaticString) { text = literal.description }
  package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }

  /// The literals and values of a piece.
  package struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = ""

    package init(literalCapacity: Int, interpolationCount: Int) {
      text.reserveCapacity(literalCapacity + 16 * interpolationCount)
    }

    /// Takes only what is written in the source.
    package mutating func appendLiteral(_ literal: StaticString) { text += literal.description }

    /// A text, without characters that hide or reorder text, and escaped. It may be in an attribute.
    ///
    /// - Parameter most: the most characters; longer texts end with an ellipsis.
    package mutating func appendInterpolation(_ text: String, most: Int = .max) {
      self.text += ChartLabel.escaped(text, most: most)
    }

    /// A stranger's text, which does not change the direction of what is around it, and shows what it hides.
    /// It is an element, so it cannot be in an attribute.
    package mutating func appendInterpolation(guest text: String) {
      self.text += "<bdi>\(ChartLabel.escapingMarkup(of: GuestText.visible(text)))</bdi>"
    }

    /// A stranger's text in an attribute, such as a label, isolated by characters instead of an element.
    package mutating func appendInterpolation(guestValue text: String) {
      self.text += "\u{2068}\(ChartLabel.escapingMarkup(of: GuestText.visible(text)))\u{2069}"
    }

    /// A text in the value of a control, exactly as it is: the control isolates it, and it may be sent back.
    package mutating func appendInterpolation(value text: String) {
      self.text += ChartLabel.escapingMarkup(of: text)
    }

    package mutating func appendInterpolation(_ number: some BinaryInteger) { text += String(number) }

    package mutating func appendInterpolation(_ html: HTML) { text += html.text }

    /// Nothing if there is none.
    package mutating func appendInterpolation(_ html: HTML?) { if let html { text += html.text } }

    package mutating func appendInterpolation(_ pieces: [HTML]) { for piece in pieces { text += piece.text } }
  }
}
