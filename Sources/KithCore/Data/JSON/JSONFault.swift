// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a document of the data model: the kind of fault and its byte offset.
package struct JSONFault: Error, Hashable, CustomStringConvertible {
  /// The kind of fault.
  package let code: Code
  /// The offset in bytes from the start of the document.
  package let offset: Int
  /// The duplicate name, cut after 64 bytes; empty for other codes.
  private let name: String
  /// The limit that was exceeded; zero for other codes.
  private let bound: Int

  init(_ code: Code, at offset: Int, name: String = "", bound: Int = 0) {
    self.code = code
    self.offset = offset
    self.name = name
    self.bound = bound
  }

  /// The kinds of fault.
  package enum Code: String, Sendable, CaseIterable {
    case tooLong, tooDeep, endsTooEarly, somethingFollows, byteOrderMark
    case expectedValue, expectedName, expectedColon, expectedCommaOrBrace, expectedCommaOrBracket
    case expectedDigit, leadingZero, integerTooLarge, notAnInteger, exponent
    case controlCharacter, notUTF8, unknownEscape, expectedHexDigit, repeatedName
    case tooManyElements, tooManyNodes
  }

  /// The fault as a phrase.
  package var reason: String {
    switch code {
    case .tooLong: "longer than 512 MiB"
    case .tooDeep: "nested deeper than \(JSONScanner.mostNesting)"
    case .endsTooEarly: "the document ends too early"
    case .somethingFollows: "unexpected data after the document"
    case .byteOrderMark: "a byte order mark before the document"
    case .expectedValue: "expected a value"
    case .expectedName: "expected the name of a member"
    case .expectedColon: "expected a colon"
    case .expectedCommaOrBrace: "expected a comma or }"
    case .expectedCommaOrBracket: "expected a comma or ]"
    case .expectedDigit: "expected a digit"
    case .leadingZero: "a number with a leading zero"
    case .integerTooLarge: "a number that does not fit in a 64-bit integer"
    case .notAnInteger: "a number that is not an integer"
    case .exponent: "a number with an exponent"
    case .controlCharacter: "a control character in a string"
    case .notUTF8: "a string that is not UTF-8"
    case .unknownEscape: "an unknown escape sequence"
    case .expectedHexDigit: "expected a hexadecimal digit"
    case .repeatedName: "duplicate name \"\(name)\""
    case .tooManyElements: "more elements than \(bound)"
    case .tooManyNodes: "more values and names than \(bound)"
    }
  }

  /// The category of the fault.
  package var kind: Kind {
    switch code {
    case .tooLong, .tooManyElements, .tooManyNodes: .size
    case .integerTooLarge, .notAnInteger, .exponent: .value
    default: .document
    }
  }

  /// The categories of faults.
  package enum Kind: Sendable {
    /// The bytes are not valid JSON.
    case document
    /// The document is valid, but a number in it is outside the data model.
    case value
    /// The document exceeds a limit.
    case size
  }

  package var description: String { "\(reason) at byte \(offset)" }
}
