// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithCore

@Suite("The frames of a WebSocket")
struct WebSocketDecoderTests {
  private func events(
    of bytes: [UInt8], by role: WebSocketRole = .client, messageBytes: Int = 1_000, cutAt cuts: [Int] = []
  ) throws -> [WebSocketDecoder.Event] {
    var decoder = WebSocketDecoder(role, messageBytes: messageBytes)
    var events: [WebSocketDecoder.Event] = []
    var start = 0
    for end in cuts + [bytes.count] {
      decoder.receive(Array(bytes[start..<end]))
      while let event = try decoder.next() { events.append(event) }
      start = end
    }
    return events
  }

  private func violation(of bytes: [UInt8], by role: WebSocketRole = .client) -> WebSocketCloseCode? {
    do throws(WebSocketDecoder.Violation) {
      var decoder = WebSocketDecoder(role, messageBytes: 1_000)
      decoder.receive(bytes)
      while try decoder.next() != nil {}
      return nil
    } catch {
      return error.code
    }
  }

  /// The examples of RFC 6455, section 5.7.
  @Test func readsTheExamplesOfTheSpecification() throws {
    let hello: [UInt8] = [0x48, 0x65, 0x6c, 0x6c, 0x6f]
    #expect(try events(of: [0x81, 0x05] + hello) == [.message(.text("Hello"))])
    #expect(
      try events(of: [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58], by: .server)
        == [.message(.text("Hello"))])
    #expect(
      try events(of: [0x01, 0x03, 0x48, 0x65, 0x6c, 0x80, 0x02, 0x6c, 0x6f]) == [.message(.text("Hello"))])
    #expect(try events(of: [0x89, 0x05] + hello) == [.ping(hello)])
    let bytes = [UInt8](repeating: 7, count: 256)
    #expect(try events(of: [0x82, 0x7e, 0x01, 0x00] + bytes) == [.message(.binary(bytes))])
  }

  @Test(arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 70_001])
  func readsWhatItWrites(length: Int) throws {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let masked = WebSocketFrame.bytes(.binary, payload, mask: 0x1234_5678)
    #expect(try events(of: masked, by: .server, messageBytes: 1 << 20) == [.message(.binary(payload))])
    let plain = WebSocketFrame.bytes(.binary, payload, mask: nil)
    #expect(try events(of: plain, messageBytes: 1 << 20) == [.message(.binary(payload))])
  }

  @Test func whereTheBytesAreCutMakesNoDifference() throws {
    let bytes =
      WebSocketFrame.bytes(.text, Array("Grüße ".utf8), isFinal: false, mask: 1)
      + WebSocketFrame.bytes(.ping, [1, 2], mask: 2)
      + WebSocketFrame.bytes(.continuation, Array("aus 𝄞".utf8), mask: 3)
      + WebSocketFrame.bytes(.close, WebSocketFrame.closePayload(.goingAway, "bye"), mask: 4)
    let whole = try events(of: bytes, by: .server)
    #expect(whole == [.ping([1, 2]), .message(.text("Grüße aus 𝄞")), .close(.goingAway, "bye")])
    for cut in 0...bytes.count {
      #expect(try events(of: bytes, by: .server, cutAt: [cut]) == whole)
    }
    #expect(try events(of: bytes, by: .server, cutAt: Array(0..<bytes.count)) == whole)
  }

  @Test func namesEachViolation() {
    let ok = WebSocketCloseCode.protocolError
    for (bytes, code): ([UInt8], WebSocketCloseCode) in [
      ([0xC1, 0x00], ok), ([0xA1, 0x00], ok), ([0x91, 0x00], ok),  // reserved bits
      ([0x83, 0x00], ok), ([0x8B, 0x00], ok),  // reserved opcodes
      ([0x81, 0x80, 0, 0, 0, 0], ok),  // a server masks
      ([0x09, 0x00], ok), ([0x89, 0x7E, 0x00, 0x7E], ok),  // a ping in parts, or too long
      ([0x80, 0x00], ok),  // a continuation of nothing
      ([0x01, 0x00, 0x81, 0x00], ok),  // a message within a message
      ([0x82, 0x7F, 0x80, 0, 0, 0, 0, 0, 0, 0], ok),  // the highest bit of a length
      ([0x82, 0x7F, 0, 0, 0, 0, 0, 1, 0, 0], .messageTooLarge),
      ([0x88, 0x01, 0x03], ok), ([0x88, 0x02, 0x03, 0xE7], ok), ([0x88, 0x02, 0x03, 0xED], ok),
      ([0x88, 0x03, 0x03, 0xE8, 0xFF], .invalidText),
      ([0x81, 0x01, 0xFF], .invalidText), ([0x81, 0x01, 0xC3], .invalidText),
      ([0x01, 0x02, 0xED, 0xA0], .invalidText),  // before the text is complete
    ] {
      #expect(violation(of: bytes) == code, "\(bytes)")
    }
    #expect(violation(of: [0x81, 0x00], by: .server) == ok)
  }

  @Test func fragmentsTogetherAreBoundedAsOneMessageIs() {
    let piece = [UInt8](repeating: 1, count: 600)
    let frames =
      WebSocketFrame.bytes(.binary, piece, isFinal: false, mask: nil)
      + WebSocketFrame.bytes(.continuation, piece, mask: nil)
    #expect(violation(of: frames) == .messageTooLarge)
  }

  @Test func readsCloseFramesWithoutACode() throws {
    #expect(try events(of: [0x88, 0x00]) == [.close(.noStatus, "")])
  }

  @Test func aReasonIsCutBetweenCharacters() throws {
    let payload = WebSocketFrame.closePayload(.normal, String(repeating: "ü", count: 100))
    #expect(payload.count == 124)
    #expect(try events(of: WebSocketFrame.bytes(.close, payload, mask: nil)).count == 1)
  }

  @Test func checksTextAsTheStandardLibraryDoes() {
    let pieces: [[UInt8]] = [
      [0x41], [0xC3, 0xA9], [0xE2, 0x82, 0xAC], [0xF0, 0x9D, 0x84, 0x9E], [0xED, 0x9F, 0xBF], [0xC0, 0x80],
      [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0x80],
      [0xE2, 0x82],
      Array("abcdefghijk".utf8),
    ]
    for one in pieces {
      for other in pieces {
        for third in pieces {
          let bytes = one + other + third
          for cut in 0...bytes.count {
            var check = UTF8Check()
            let isText =
              check.accepts(Array(bytes[..<cut])) && check.accepts(Array(bytes[cut...])) && check.isComplete
            #expect(isText == (String(validating: bytes, as: UTF8.self) != nil), "\(bytes) cut at \(cut)")
          }
        }
      }
    }
  }
}
