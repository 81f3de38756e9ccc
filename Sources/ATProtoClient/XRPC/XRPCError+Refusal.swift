// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import HTTPTypes

extension XRPCError {
  /// What an answer outside 2xx says: `{error, message}`, or whatever stands in the body.
  ///
  /// Some servers answer errors in plain text or HTML (the table of PDSes): their words survive, cut short.
  /// A redirect is a refusal too, for a call goes nowhere but to the service that was named.
  init(
    refusal response: TransportResponse, to method: NSID, service: ServiceURL,
    at microsecondsSinceEpoch: Int64
  ) {
    let status = response.head.status.code
    let body = Self.body(of: response)
    let limit = RateLimit(response.head.headerFields, at: microsecondsSinceEpoch)
    let code: Code =
      switch status {
      case 429: .rateLimited
      case 500...: .unavailable
      default: .refused
      }
    self.init(
      code, method: method, service: service.origin, status: status,
      name: body.map { XRPCErrorName(rawValue: Self.short($0.error)) },
      message: Self.words(of: response, body),
      retryAfter: code == .rateLimited ? limit?.waitAfterRefusal : limit?.retryAfter)
  }

  private struct Body: Decodable {
    let error: String
    let message: String?
  }

  /// Bytes of a server's words that are kept: a few long sentences.
  private static let mostBytes = 600

  private static func body(of response: TransportResponse) -> Body? {
    try? JSONCoding.decode(Body.self, from: response.body)
  }

  private static func words(of response: TransportResponse, _ body: Body?) -> String {
    if response.head.status.kind == .redirection, let location = response.head.headerFields[.location] {
      return "it redirects to \(short(location)); calls follow no redirects, ask that service instead"
    }
    // Indentation goes before the words are counted; the rest of a flood is not even looked at.
    let text =
      body.map { $0.message ?? "" }
      ?? String(decoding: response.body.prefix(4 * mostBytes), as: UTF8.self)
    let words = short(
      text.shortened(toBytes: 4 * mostBytes).split(whereSeparator: \.isWhitespace).joined(separator: " "))
    if !words.isEmpty { return words }
    let phrase = response.head.status.reasonPhrase
    return phrase.isEmpty ? "no reason given" : phrase
  }

  private static func short(_ text: String) -> String {
    text.shortened(toBytes: mostBytes)
  }
}
