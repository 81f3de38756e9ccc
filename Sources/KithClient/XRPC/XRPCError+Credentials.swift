// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension XRPCErrorName {
  static let expiredToken = XRPCErrorName(rawValue: "ExpiredToken")
  static let invalidToken = XRPCErrorName(rawValue: "InvalidToken")
}

extension XRPCError {
  /// Whether another access token may help: `ExpiredToken` and `InvalidToken` with any status, because
  /// servers differ (table of PDSes), and any 401.
  var refusesToken: Bool {
    code == .refused && !deniesPermission
      && (name == .expiredToken || name == .invalidToken || status == 401)
  }

  /// Whether the token is good, but may not be used for this call: that of an app password, or of a session
  /// without the permission. Another token of the same session has the same scope.
  ///
  /// The reference server answers `InvalidToken` with "Bad token scope" or "Bad token method" (table
  /// of PDSes).
  package var deniesPermission: Bool {
    guard code == .refused, let name else { return false }
    if name.rawValue.hasSuffix("Scope") || name.rawValue.hasSuffix("ScopeError") { return true }
    let words = message.lowercased()
    return name == .invalidToken && (words.contains("token scope") || words.contains("token method"))
  }

  /// Whether the server wants a sign-in that the call did not have.
  package var asksForSignIn: Bool { code == .refused && (status == 401 || status == 403) }

  /// Whether the server refuses the password or token that the call itself is about.
  var refusesCredentials: Bool { code == .refused && [400, 401, 403].contains(status) }

  /// Returns the error without secrets that the server may have quoted.
  func hiding(_ secrets: SecretRedactor) -> XRPCError {
    if secrets.isEmpty { return self }
    return XRPCError(
      code, method: method, service: service, status: status,
      name: name.map { secrets.clean($0) },
      message: secrets.quotesPassword(in: message) ? SecretRedactor.withheld : secrets.clean(message),
      retryAfter: retryAfter, underlying: underlying, wasSent: wasSent)
  }
}
