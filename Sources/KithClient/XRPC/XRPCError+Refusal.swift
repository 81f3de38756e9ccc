// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithCore

extension XRPCError {
  /// Converts a response outside 2xx: `{error, message}`, or any other body.
  ///
  /// Some servers send errors as plain text (the table of PDSes); it is kept, shortened. Of a web page only
  /// the title is kept. A redirect is a refusal too, because calls only go to the named service.
  /// - Parameter secrets: Secrets of the call that the server may have quoted. They are removed before
  ///   anything is shortened, because a truncated secret would not be recognized.
  init(
    refusal response: TransportResponse, to method: NSID, service: ServiceURL,
    at now: Instant, hiding secrets: SecretRedactor = SecretRedactor()
  ) {
    let status = response.head.status.code
    let body = Self.body(of: response)
    let limit = RateLimit(response.head.headerFields, at: now)
    let code: Code =
      switch status {
      case 429: .rateLimited
      case 500...: .unavailable
      case _ where RetryPolicy.areAboutTheConnection.contains(status): .unavailable
      default: .refused
      }
    self.init(
      code, method: method, service: service.origin, status: status,
      name: body.map { secrets.clean(XRPCErrorName(rawValue: $0.error.shortened(toBytes: Self.mostRead))) }
        .map { XRPCErrorName(rawValue: $0.rawValue.shortened(toBytes: Self.mostBytes)) },
      message: Self.words(of: response, body, secrets),
      retryAfter: code == .rateLimited ? limit?.waitAfterRefusal : limit?.retryAfter)
  }

  private struct Body: Decodable {
    let error: String
    let message: IfReadable<String>?
  }

  /// The maximum length of a server's message in bytes: a few long sentences.
  private static let mostBytes = 600
  /// The maximum number of bytes of a message that are examined: enough that more than ``mostBytes`` remain
  /// after secrets are removed; a secret cut off at the end is never shown.
  private static let mostRead = 64 << 10

  private static func body(of response: TransportResponse) -> Body? {
    try? JSONCoding.decode(Body.self, from: response.body, within: JSONBounds(nodes: 1_000))
  }

  private static func words(
    of response: TransportResponse, _ body: Body?, _ secrets: SecretRedactor
  ) -> String {
    if response.head.status.kind == .redirection, let location = response.head.headerFields[.location] {
      let place = short(location, secrets)
      return "redirected to \(place); redirects are not followed, use that service directly"
    }
    let text =
      body.map { ($0.message?.value ?? "").shortened(toBytes: mostRead) } ?? Self.text(of: response)
    // A server of the protocol would have named its error.
    let hint =
      body == nil && response.head.status.code == 403
      ? "; this is not an answer of the protocol, so something in front of the server may block this client"
      : ""
    if secrets.quotesPassword(in: text) { return SecretRedactor.withheld }
    // Indentation is removed before the message is measured; the rest of a very long message is not examined.
    let words = secrets.clean(text).shortened(toBytes: 4 * mostBytes).split(whereSeparator: \.isWhitespace)
      .joined(separator: " ").shortened(toBytes: mostBytes)
    if !words.isEmpty { return words + hint }
    let phrase = response.head.status.reasonPhrase
    return (phrase.isEmpty ? "no reason given" : short(phrase, secrets)) + hint
  }

  /// The text of a response that is not of the protocol; for a web page, what it is.
  private static func text(of response: TransportResponse) -> String {
    let text = String(decoding: response.body.prefix(mostRead), as: UTF8.self)
    return WebPage(type: response.head.headerFields[.contentType], text: text)?.words ?? text
  }

  private static func short(_ text: String, _ secrets: SecretRedactor) -> String {
    secrets.clean(text.shortened(toBytes: mostRead)).shortened(toBytes: mostBytes)
  }
}
