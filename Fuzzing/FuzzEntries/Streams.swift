// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore

/// Reads bytes as what a host of streams sends: frames of a WebSocket, and messages of a Jetstream in them.
///
/// The first byte says which side reads, whether the place before is one of the same host, and where the bytes are cut in two:
/// wherever they are cut, the same is read.
/// - Returns: How many messages, control frames, events and gaps were read.
/// - Throws: ``BrokenInvariant``.
package func fuzzStreams(_ bytes: [UInt8]) throws -> [String: Int] {
  let first = Int(bytes.first ?? 0)
  let wire = Array(bytes.dropFirst())
  let role: WebSocketRole = first & 1 == 0 ? .client : .server
  let whole = Reading(wire, cutAt: wire.count, by: role)
  let halves = Reading(wire, cutAt: wire.count * (first >> 2) / 64, by: role)
  try require(whole == halves, "what was read depends on where it was cut")

  var found: [String: Int] = [:]
  func count(_ what: String) { found[what, default: 0] += 1 }
  var position = JetstreamPosition(
    host: "fuzz.test",
    after: StreamCursor(host: first & 2 == 0 ? "fuzz.test" : "other.test", sequence: 5, at: .networkBegan))
  _ = position.connect()
  for event in whole.events {
    guard case .message(let message) = event else {
      count("control frame")
      continue
    }
    count("message")
    try require(
      !message.isText || String(validating: message.bytes, as: UTF8.self) != nil, "a text that is not UTF-8")
    for version in [JetstreamConnection.Wire.v1, .v2] {
      guard case .event(let event) = JetstreamFrame(message.bytes, wire: version, host: "fuzz.test") else {
        continue
      }
      count("event")
      let before = position.cursor
      switch position.receive(event, at: now) {
      case .take(let taken, let gap):
        try require(taken.at <= now && position.cursor == taken.cursor, "a place in the future")
        guard let gap else { continue }
        count("gap")
        try require(
          gap.since <= gap.until && gap.since <= before?.at ?? now, "a gap that ends before it begins")
      case .drop, .reconnect: try require(position.cursor == before, "a place moved without an event")
      }
    }
  }
  return found
}

/// The time at which everything is read: 2026-01-01T00:00:00Z.
private let now = Instant(secondsSinceEpoch: 1_767_225_600)

/// What a decoder makes of bytes.
private struct Reading: Equatable {
  var events: [WebSocketDecoder.Event] = []
  var violation: WebSocketDecoder.Violation?

  init(_ bytes: [UInt8], cutAt cut: Int, by role: WebSocketRole) {
    var decoder = WebSocketDecoder(role, messageBytes: 1 << 20)
    do throws(WebSocketDecoder.Violation) {
      for part in [bytes[..<cut], bytes[cut...]] {
        decoder.receive(Array(part))
        while let event = try decoder.next() { events.append(event) }
      }
    } catch {
      violation = error
    }
  }
}
