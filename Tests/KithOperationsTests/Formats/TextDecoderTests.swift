// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithOperations

@Suite struct TextDecoderTests {
  /// The text of pieces of this many bytes.
  private func decoded(_ bytes: [UInt8], by size: Int) -> String {
    var decoder = TextDecoder()
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      text += decoder.decode(Array(bytes[start..<min(start + size, bytes.count)]))
    }
    return String(decoding: text + decoder.finish(), as: UTF8.self)
  }

  private func utf16(_ text: String, isBigEndian: Bool) -> [UInt8] {
    text.utf16.flatMap { unit in
      let bytes = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isBigEndian ? bytes : bytes.reversed()
    }
  }

  @Test(arguments: [true, false], ["\u{FEFF}", ""])
  func readsUTF16InPiecesOfAnySize(isBigEndian: Bool, mark: String) {
    let text = mark + "who\tname\r\nbob.test\tBøb 🦉\r\n"
    let bytes = utf16(text, isBigEndian: isBigEndian)
    for size in 1...bytes.count { #expect(decoded(bytes, by: size) == text) }
  }

  @Test func takesACarriageReturnForALineBreakOnlyWhereTheFirstOneIsAlone() {
    for size in 1...12 {
      #expect(decoded(Array("a\rb\r\rc\r".utf8), by: size) == "a\nb\n\nc\n")
      #expect(decoded(Array("a\r\nb\rc\r\n".utf8), by: size) == "a\r\nb\rc\r\n")
      #expect(decoded(Array("a\nb\rc".utf8), by: size) == "a\nb\rc")
    }
  }

  @Test func leavesUTF8AndHalfATextAsTheyAre() {
    for size in 1...5 {
      #expect(decoded(Array("\u{FEFF}bøb\n".utf8), by: size) == "\u{FEFF}bøb\n")
      #expect(decoded([0x61], by: size) == "a")
      #expect(decoded([], by: size) == "")
    }
  }
}
