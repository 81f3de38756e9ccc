// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import HTTPTypes

extension XRPCError {
  /// What an answer outside 2xx says: `{error, message}`, or whatever stands in the body.
  ///
  /// Some servers answer errors in plain text or HTML (the table of PDSes): their words survive, cut short.
  /// A redirect is a refusal too, for a call goes nowhere but to the service that was named.
  /// - Parameter secrets: what the server may have quoted of the call; taken out before anything is cut short,
  ///   for of a secret that is cut nobody would know it.
  init(
    refusal response: TransportResponse, to method: NSID, service: ServiceURL,
    at microsecondsSinceEpoch: Int64, hiding secrets: HiddenSecrets = HiddenSecrets()
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
      name: body.map { XRPCErrorName(rawValue: Self.short($0.error, secrets)) },
      message: Self.words(of: response, body, secrets),
      retryAfter: code == .rateLimited ? limit?.waitAfterRefusal : limit?.retryAfter)
  }

  private struct Body: Decodable {
    let error: String
    let message: String?
  }

  /// Bytes of a server's words that are kept: a few long sentences.
  private static let mostBytes = 600
  /// Bytes of a server's words that are looked at. So many that what is left of them without the secrets is more
  /// than is kept: of a short secret that is cut at their end nothing is shown.
  private static let mostRead = 64 << 10

  private static func body(of response: TransportResponse) -> Body? {
    try? JSONCoding.decode(Body.self, from: response.body, within: JSONBounds(nodes: 1_000))
  }

  private static func words(
    of response: TransportResponse, _ body: Body?, _ secrets: HiddenSecrets
  ) -> String {
    if response.head.status.kind == .redirection, let location = response.head.headerFields[.location] {
      let place = short(location, secrets)
      return "it redirects to \(place); calls follow no redirects, ask that service instead"
    }
    let text =
      body.map { ($0.message ?? "").shortened(toBytes: mostRead) }
      ?? String(decoding: response.body.prefix(mostRead), as: UTF8.self)
    // Indentation goes before the words are counted; the rest of a flood is not even looked at.
    let words = secrets.clean(text).shortened(toBytes: 4 * mostBytes).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ").shortened(toBytes: mostBytes)
    if !words.isEmpty { return words }
    let phrase = response.head.status.reasonPhrase
    return phrase.isEmpty ? "no reason given" : short(phrase, secrets)
  }

  private static func short(_ text: String, _ secrets: HiddenSecrets) -> String {
    secrets.clean(text.shortened(toBytes: mostRead)).shortened(toBytes: mostBytes)
  }
}
