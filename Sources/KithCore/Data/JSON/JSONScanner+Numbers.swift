// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// Scans a number. Returns whether it is a 64-bit integer and its length, for an integer without decimals.
  ///
  /// Decimals that are all zero are ignored: some languages write them after any number.
  mutating func scanNumber() throws(JSONFault) -> (JSONNode.Kind, length: Int) {
    let start = position
    let isNegative = bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    guard position < bytes.count else { throw ended }
    guard bytes[position].isDigit else { throw JSONFault(.expectedDigit, at: position) }
    let first = position
    var magnitude: UInt64 = 0
    var overflows = false
    while position < bytes.count, bytes[position].isDigit {
      let (shifted, isLost) = magnitude.multipliedReportingOverflow(by: 10)
      let (sum, isOver) = shifted.addingReportingOverflow(UInt64(bytes[position] &- UInt8(ascii: "0")))
      overflows = overflows || isLost || isOver
      magnitude = sum
      position += 1
    }
    if bytes[first] == UInt8(ascii: "0"), position - first > 1 {
      throw JSONFault(.leadingZero, at: first)
    }
    let end = position
    let isWhole = try skipFraction()
    let fits = !overflows && magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0)
    return isWhole && fits ? (.integer, end - start) : (.otherNumber, position - start)
  }

  /// Skips decimals and an exponent. Returns whether there are only zeros.
  private mutating func skipFraction() throws(JSONFault) -> Bool {
    guard position < bytes.count else { return true }
    var isWhole = true
    if bytes[position] == UInt8(ascii: ".") {
      position += 1
      isWhole = try skipDigits()
    }
    guard position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") else { return isWhole }
    position += 1
    if position < bytes.count, bytes[position] == UInt8(ascii: "-") || bytes[position] == UInt8(ascii: "+") {
      position += 1
    }
    _ = try skipDigits()
    return false
  }

  /// Skips one or more digits. Returns whether all of them are zero.
  private mutating func skipDigits() throws(JSONFault) -> Bool {
    guard position < bytes.count else { throw ended }
    guard bytes[position].isDigit else { throw JSONFault(.expectedDigit, at: position) }
    var areZero = true
    while position < bytes.count, bytes[position].isDigit {
      areZero = areZero && bytes[position] == UInt8(ascii: "0")
      position += 1
    }
    return areZero
  }
}
