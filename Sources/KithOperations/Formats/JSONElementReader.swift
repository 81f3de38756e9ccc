// SPDX-License-Identifier: Apache-2.0

/// Splits JSON into values: the elements of one array, or a sequence of values with any line breaks.
///
/// Looks only at quotes and brackets; elements are validated when they are decoded.
public struct JSONElementReader: Sendable {
  /// One value, trimmed.
  public struct Element: Sendable, Equatable {
    public let bytes: [UInt8]
    /// The number of the line where it begins, from 1.
    public let line: Int
    /// Whether it is an element of an array, not a whole JSON value.
    public let isInArray: Bool
  }

  /// The longest element; far more than a response with 100 accounts.
  public static let longestElement = 4 << 20

  private let file: String
  private var element: [UInt8] = []
  private var line: Int
  private var elementLine = 1
  /// The number of open brackets, including the outer array.
  private var depth = 0
  /// The number of open brackets outside of elements: 1 inside the outer array.
  private var base = 0
  private var isInString = false
  private var isEscaped = false

  /// - Parameter line: the number of the first line.
  public init(file: String, line: Int = 1) {
    self.file = file
    self.line = line
  }

  /// Takes the next piece and returns the completed elements.
  ///
  /// - Throws: ``OperationError`` for an element that is too long.
  public mutating func received(_ piece: [UInt8]) throws(OperationError) -> [Element] {
    var elements: [Element] = []
    for byte in piece {
      if isInString { stepInString(byte, &elements) } else { step(byte, &elements) }
      if byte == UInt8(ascii: "\n") { line += 1 }
      if element.count > Self.longestElement {
        throw OperationError.elementTooLong(file: file, line: elementLine)
      }
    }
    return elements
  }

  /// The last element, completed by the end of the file.
  ///
  /// - Throws: ``OperationError`` if the file ends inside an element.
  public mutating func ended() throws(OperationError) -> Element? {
    guard !isInString, depth == 0 else {
      throw OperationError.unclosedJSON(file: file, line: elementLine)
    }
    var elements: [Element] = []
    flush(&elements)
    return elements.first
  }

  private mutating func stepInString(_ byte: UInt8, _ elements: inout [Element]) {
    element.append(byte)
    if isEscaped {
      isEscaped = false
    } else if byte == UInt8(ascii: "\\") {
      isEscaped = true
    } else if byte == UInt8(ascii: "\"") {
      isInString = false
      if depth == base { flush(&elements) }
    }
  }

  private mutating func step(_ byte: UInt8, _ elements: inout [Element]) {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r"), UInt8(ascii: "\n"):
      // Line breaks are kept: rows inside an element have line numbers too.
      if depth == base { flush(&elements) } else if byte == UInt8(ascii: "\n") { element.append(byte) }
    case UInt8(ascii: ",") where depth == base: flush(&elements)
    case UInt8(ascii: "[") where depth == 0 && element.isEmpty:
      (depth, base) = (1, 1)
      elementLine = line
    case UInt8(ascii: "]") where depth == base && base == 1:
      flush(&elements)
      (depth, base) = (0, 0)
    default:
      if element.isEmpty { elementLine = line }
      element.append(byte)
      switch byte {
      case UInt8(ascii: "\""): isInString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth = max(base, depth - 1)
        if depth == base { flush(&elements) }
      default: break
      }
    }
  }

  private mutating func flush(_ elements: inout [Element]) {
    guard !element.isEmpty else { return }
    elements.append(Element(bytes: element, line: elementLine, isInArray: base == 1))
    element.removeAll(keepingCapacity: true)
  }
}
