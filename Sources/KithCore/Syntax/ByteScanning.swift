// SPDX-License-Identifier: Apache-2.0

/// A fault found while scanning bytes; ``SyntaxError`` adds the kind of identifier and the text.
struct SyntaxFault: Error {
  let reason: String
  let offset: Int

  init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }
}

/// The UTF-8 bytes of a text as its parsers see them: contiguous, borrowed for the duration of the call.
typealias UTF8Bytes = UnsafeBufferPointer<UInt8>

extension StringProtocol {
  /// Passes the UTF-8 bytes of the text to a parser, without a copy if the string is native.
  @inline(__always)  // Avoids creating metadata for the result in each call.
  func scanned<Value>(
    as subject: String, _ parse: (UTF8Bytes) throws(SyntaxFault) -> Value
  ) throws(SyntaxError) -> Value {
    func attempt(_ bytes: UTF8Bytes) -> Result<Value, SyntaxFault> {
      do throws(SyntaxFault) { return .success(try parse(bytes)) } catch { return .failure(error) }
    }
    let result =
      utf8.withContiguousStorageIfAvailable(attempt)
      ?? Array(utf8).withUnsafeBufferPointer(attempt)
    switch result {
    case .success(let value): return value
    case .failure(let fault): throw SyntaxError(subject, fault.reason, at: fault.offset, in: self)
    }
  }
}

extension UTF8Bytes {
  /// Whether the bytes start with `did:`.
  @inline(__always)
  var startsLikeDID: Bool {
    count >= 4 && self[0] == UInt8(ascii: "d") && self[1] == UInt8(ascii: "i") && self[2] == UInt8(ascii: "d")
      && self[3] == UInt8(ascii: ":")
  }
}

extension UInt8 {
  var isLowercaseLetter: Bool { UInt8(ascii: "a")...UInt8(ascii: "z") ~= self }
  var isUppercaseLetter: Bool { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= self }
  var isLetter: Bool { (self | 0x20).isLowercaseLetter }
  var isDigit: Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= self }
  var isAlphanumeric: Bool { isLetter || isDigit }
  /// The letter in lower case; other bytes unchanged.
  var lowercased: UInt8 { isUppercaseLetter ? self | 0x20 : self }
}
