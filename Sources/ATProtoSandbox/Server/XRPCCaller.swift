// SPDX-License-Identifier: Apache-2.0

/// What a request says about who asks.
struct XRPCCaller: Sendable, Hashable {
  /// The token of the `Authorization` field; nil where there is none, or one of another scheme.
  let bearerToken: String?

  init(bearerToken: String? = nil) { self.bearerToken = bearerToken }

  init(_ request: HTTPRequest) {
    let words = request.authorization?.split(separator: " ", maxSplits: 1) ?? []
    let isBearer = words.count == 2 && words[0].lowercased() == "bearer"
    bearerToken = isBearer ? String(words[1]) : nil
  }
}
