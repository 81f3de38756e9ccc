// SPDX-License-Identifier: Apache-2.0

extension JSONScanner {
  /// Reads a number, which is an integer of 64 bits; its length without decimals.
  ///
  /// Decimals that are all zero are passed over: other languages write them after any number.
  mutating func scanInteger() throws(JSONFault) -> Int {
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
    try skipZeroDecimals(of: start)
    guard !overflows, magnitude <= UInt64(Int64.max) + (isNegative ? 1 : 0) else {
      throw JSONFault(.integerTooLarge, at: start)
    }
    return end - start
  }

  private mutating func skipZeroDecimals(of start: Int) throws(JSONFault) {
    guard position < bytes.count else { return }
    if bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard position < bytes.count else { throw ended }
      guard bytes[position].isDigit else { throw JSONFault(.expectedDigit, at: position) }
      while position < bytes.count, bytes[position].isDigit {
        guard bytes[position] == UInt8(ascii: "0") else {
          throw JSONFault(.notAnInteger, at: start)
        }
        position += 1
      }
    }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      throw JSONFault(.exponent, at: start)
    }
  }
}
