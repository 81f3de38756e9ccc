// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a document of the data model: what is wrong, and at which byte of the document.
package struct JSONFault: Error, Hashable, CustomStringConvertible {
  /// What is wrong.
  package let code: Code
  /// A count of bytes from the start of the document.
  package let offset: Int
  /// The name that occurs twice, cut after 64 bytes; empty for other codes.
  private let name: String
  /// The bound that was passed; zero for other codes.
  private let bound: Int

  init(_ code: Code, at offset: Int, name: String = "", bound: Int = 0) {
    self.code = code
    self.offset = offset
    self.name = name
    self.bound = bound
  }

  /// What may be wrong.
  package enum Code: String, Sendable, CaseIterable {
    case tooLong, tooDeep, endsTooEarly, somethingFollows, byteOrderMark
    case expectedValue, expectedName, expectedColon, expectedCommaOrBrace, expectedCommaOrBracket
    case expectedDigit, leadingZero, integerTooLarge, notAnInteger, exponent
    case controlCharacter, notUTF8, unknownEscape, halfSurrogate, expectedHexDigit, repeatedName
    case tooManyElements, tooManyNodes
  }

  /// What is wrong, as a half-sentence.
  package var reason: String {
    switch code {
    case .tooLong: "longer than 512 MiB"
    case .tooDeep: "nested deeper than \(JSONScanner.mostNesting)"
    case .endsTooEarly: "the document ends too early"
    case .somethingFollows: "something follows the document"
    case .byteOrderMark: "a byte order mark before the document"
    case .expectedValue: "expected a value"
    case .expectedName: "expected the name of a member"
    case .expectedColon: "expected a colon"
    case .expectedCommaOrBrace: "expected a comma or }"
    case .expectedCommaOrBracket: "expected a comma or ]"
    case .expectedDigit: "expected a digit"
    case .leadingZero: "a number starts with a zero"
    case .integerTooLarge: "a number that does not fit in an integer of 64 bits"
    case .notAnInteger: "a number that is no integer"
    case .exponent: "a number with an exponent"
    case .controlCharacter: "a control character in a string"
    case .notUTF8: "a string that is not UTF-8"
    case .unknownEscape: "an escape that JSON does not have"
    case .halfSurrogate: "half of a surrogate pair"
    case .expectedHexDigit: "expected a hexadecimal digit"
    case .repeatedName: "the name \"\(name)\" a second time"
    case .tooManyElements: "more elements than \(bound)"
    case .tooManyNodes: "more values and names than \(bound)"
    }
  }

  /// What the fault is one of.
  package var kind: Kind {
    switch code {
    case .tooLong, .tooManyElements, .tooManyNodes: .size
    case .integerTooLarge, .notAnInteger, .exponent: .value
    default: .document
    }
  }

  /// What a fault is one of.
  package enum Kind: Sendable {
    /// The bytes are no sound document.
    case document
    /// The document is sound, and a number in it is none of the data model.
    case value
    /// There is more in the document than is taken.
    case size
  }

  package var description: String { "\(reason) at byte \(offset)" }
}
