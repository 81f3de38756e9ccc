// SPDX-License-Identifier: Apache-2.0

internal import KithLocalMessages

/// The identity of the caller of a request.
struct XRPCCaller: Sendable, Hashable {
  /// The bearer token; nil without an `Authorization` field, or with another scheme.
  let bearerToken: String?

  init(bearerToken: String? = nil) { self.bearerToken = bearerToken }

  init(_ request: LocalRequest) {
    let words = request["authorization"]?.split(separator: " ", maxSplits: 1) ?? []
    let isBearer = words.count == 2 && words[0].lowercased() == "bearer"
    bearerToken = isBearer ? String(words[1]) : nil
  }
}
