// SPDX-License-Identifier: Apache-2.0

internal import KithLocalMessages

extension FaultPlan.Fault {
  /// Whether the request does not reach the server, so a change is not made.
  var isBeforeServer: Bool {
    switch kind {
    case .internalServerError, .serviceUnavailable, .html: true
    case .badGateway, .reset: !isOdd
    case .lost, .truncate, .stall, .slow, .garbage: false
    }
  }

  /// Applies the fault to a correct answer. An answer by a proxy has none of the server's header fields.
  ///
  /// - Parameter pause: the pause between two pieces of a slow answer.
  func applied(to answer: LocalResponse, pause: Duration) -> LocalResponse {
    var spoiled = answer
    switch kind {
    case .internalServerError:
      spoiled = LocalResponse(.internalServerError)
      spoiled.fields = answer.fields
    case .badGateway:
      spoiled = Self.text("502 Bad Gateway\n", status: 502)
    case .serviceUnavailable:
      spoiled = Self.text("503 Service Unavailable\n", status: 503)
    case .html:
      spoiled = Self.text(
        "<!DOCTYPE html>\n<html><title>Welcome</title><p>Sign in to use this network.</html>\n", type: "html")
    case .reset: spoiled.delivery = .reset(afterHalf: isOdd)
    case .lost: spoiled.delivery = .reset(afterHalf: false)
    case .truncate: spoiled.delivery = .truncated
    case .stall: spoiled.delivery = .stalled(afterHead: isOdd)
    // A WebSocket has no body that could be slow.
    case .slow: if answer.delivery == .whole { spoiled.delivery = .dribbled(pieces: 8, pause: pause) }
    case .garbage: spoiled = garbage(for: answer)
    }
    return spoiled
  }

  private var isOdd: Bool { variant & 1 == 1 }

  private static func text(_ text: String, status: Int = 200, type: String = "plain") -> LocalResponse {
    LocalResponse(status: status, contentType: "text/\(type); charset=utf-8", body: Array(text.utf8))
  }

  /// Random bytes instead of HTTP, random bytes instead of JSON, or half of the JSON as if it were complete.
  private func garbage(for answer: LocalResponse) -> LocalResponse {
    var numbers = SplitMix64(seed: variant)
    // The first byte is not valid HTTP, JSON or UTF-8.
    let noise = [0xff] + (0..<64).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
    var garbage = answer
    switch variant % 3 {
    case 0:
      garbage.body = noise
      garbage.delivery = .raw
    case 1 where answer.body.first == UInt8(ascii: "{"):
      garbage.body = Array(answer.body[..<(answer.body.count / 2)])
    default:
      garbage.body = noise
    }
    return garbage
  }
}
