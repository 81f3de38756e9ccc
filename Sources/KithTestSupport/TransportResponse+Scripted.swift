// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
public import KithClient

extension TransportResponse {
  /// Returns a response with JSON as its body.
  ///
  /// - Parameter headers: additional header fields; names that HTTP does not allow are left out.
  public static func json(
    _ body: String, status: Int = 200, headers: [String: String] = [:]
  ) -> TransportResponse {
    TransportResponse(status: status, body, fields: HTTPFields(named: headers))
  }

  /// Returns an error of an XRPC method: `.xrpcError(400, "InvalidRequest", "actor must be a DID")`.
  ///
  /// - Parameters:
  ///   - name: the name of the error in the lexicon.
  ///   - message: its text, which must not need escaping in JSON.
  ///   - headers: additional header fields; names that HTTP does not allow are left out.
  public static func xrpcError(
    _ status: Int, _ name: String, _ message: String, headers: [String: String] = [:]
  ) -> TransportResponse {
    xrpcError(status, name, message, fields: HTTPFields(named: headers))
  }

  /// Returns a response with a text as its body.
  package init(
    status: Int = 200, _ body: String = "", type: String = "application/json", fields: HTTPFields = [:]
  ) {
    var head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    head.headerFields[.contentType] = type
    self.init(head: head, body: Array(body.utf8))
  }

  /// Returns an error of an XRPC method.
  package static func xrpcError(
    _ status: Int, _ name: String, _ message: String, fields: HTTPFields
  ) -> TransportResponse {
    TransportResponse(status: status, #"{"error":"\#(name)","message":"\#(message)"}"#, fields: fields)
  }

  /// Returns the directory's own answer about a DID that it does not serve: 404 for one that was never
  /// registered, 410 for a deleted one.
  package static func absence(
    of did: some CustomStringConvertible, status: Int = 404
  ) -> TransportResponse {
    TransportResponse(
      status: status, #"{"message":"DID not \#(status == 410 ? "available" : "registered"): \#(did)"}"#)
  }
}

extension HTTPFields {
  /// Creates fields from plain names; names that HTTP does not allow are left out.
  package init(named fields: [String: String]) {
    self.init()
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { self[name] = value }
    }
  }
}
