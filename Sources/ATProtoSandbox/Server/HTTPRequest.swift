// SPDX-License-Identifier: Apache-2.0

/// One request, as far as the network's servers look at it.
struct HTTPRequest: Sendable, Hashable {
  var method = "GET"
  /// The path, still percent-encoded.
  var path: String
  /// What stands behind the `?`, still percent-encoded.
  var query = ""
  /// The `Host` field.
  var host: String?
  /// The `Authorization` field.
  var authorization: String?
  /// The `Content-Type` field.
  var contentType: String?
  var body: [UInt8] = []
  /// Whether the client may send another request on the same connection.
  var keepsAlive = true
}
