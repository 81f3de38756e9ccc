// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import HTTPTypes

extension XRPCError {
  /// What an answer outside 2xx says: `{error, message}`, or whatever stands in the body.
  ///
  /// Some servers answer errors in plain text or HTML (the table of PDSes): their words survive, cut short.
  init(
    refusal response: TransportResponse, to method: NSID, service: ServiceURL,
    at microsecondsSinceEpoch: Int64
  ) {
    let status = response.head.status.code
    let body = try? JSONCoding.decode(Body.self, from: response.body)
    let limit = RateLimit(response.head.headerFields, at: microsecondsSinceEpoch)
    let code: Code =
      switch status {
      case 429: .rateLimited
      case 500...: .unavailable
      default: .refused
      }
    self.init(
      code, method: method, service: service.origin, status: status,
      name: body.map { XRPCErrorName(rawValue: $0.error) },
      message: body?.message ?? body.map { _ in response.head.status.reasonPhrase }
        ?? Self.words(of: response),
      retryAfter: code == .rateLimited ? limit?.waitAfterRefusal : limit?.retryAfter)
  }

  private struct Body: Decodable {
    let error: String
    let message: String?
  }

  private static func words(of response: TransportResponse) -> String {
    let most = 300
    let text = String(decoding: response.body.prefix(most), as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    if words.isEmpty {
      let phrase = response.head.status.reasonPhrase
      return phrase.isEmpty ? "the answer has no text" : phrase
    }
    return response.body.count > most ? words + "…" : words
  }
}
