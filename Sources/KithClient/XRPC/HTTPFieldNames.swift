// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension HTTPField.Name {
  static let atprotoProxy = token("atproto-proxy")
  static let atprotoAcceptLabelers = token("atproto-accept-labelers")
  static let rateLimitLimit = token("RateLimit-Limit")
  static let rateLimitRemaining = token("RateLimit-Remaining")
  static let rateLimitReset = token("RateLimit-Reset")
  static let rateLimitPolicy = token("RateLimit-Policy")

  /// Invariant: it is only called with the literals above, which are tokens by RFC 9110.
  private static func token(_ name: StaticString) -> HTTPField.Name {
    guard let name = HTTPField.Name(name.description) else {
      preconditionFailure("\(name) is not a field name")
    }
    return name
  }
}
