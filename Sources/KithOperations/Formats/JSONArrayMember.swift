// SPDX-License-Identifier: Apache-2.0

/// A member of a JSON object whose value is an array.
public struct JSONArrayMember: Sendable, Equatable {
  /// The name, as it is written.
  public let name: String
  /// The array with its brackets.
  public let bytes: ArraySlice<UInt8>
  /// How many line breaks of the object come before it.
  public let lineOffset: Int

  /// The arrays directly in an object. Looks only at quotes and brackets, so the object has to be valid JSON.
  public static func all(in object: [UInt8]) -> [JSONArrayMember] {
    var scan = Scan()
    for (index, byte) in object.enumerated() { scan.step(byte, at: index, in: object) }
    return scan.found
  }

  private struct Scan {
    var found: [JSONArrayMember] = []
    private var depth = 0
    private var lines = 0
    private var isInString = false
    private var isEscaped = false
    /// Where the last text directly in the object begins; before an array, that is its name.
    private var textStart = 0
    private var name = 0..<0
    private var array: (start: Int, line: Int)?

    mutating func step(_ byte: UInt8, at index: Int, in object: [UInt8]) {
      if byte == UInt8(ascii: "\n") { lines += 1 }
      guard !isInString else { return stepInString(byte, at: index) }
      switch byte {
      case UInt8(ascii: "\""): (isInString, textStart) = (true, index + 1)
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "["):
        if depth == 1 { array = (index, lines) }
        depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 1, let (start, line) = array {
          found.append(
            JSONArrayMember(
              name: String(decoding: object[name], as: UTF8.self), bytes: object[start...index],
              lineOffset: line))
          array = nil
        }
      default: break
      }
    }

    private mutating func stepInString(_ byte: UInt8, at index: Int) {
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isInString = false
        if depth == 1 { name = textStart..<index }
      }
    }
  }
}
