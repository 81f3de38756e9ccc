// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
package import HTTPTypes

extension TransportResponse {
  /// Returns a response with a text as its body.
  package init(
    status: Int = 200, _ body: String = "", type: String = "application/json", fields: HTTPFields = [:]
  ) {
    var head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    head.headerFields[.contentType] = type
    self.init(head: head, body: Array(body.utf8))
  }

  /// Returns an error response like that of the reference servers.
  package static func xrpcError(
    _ status: Int, _ name: String, _ message: String, fields: HTTPFields = [:]
  ) -> TransportResponse {
    TransportResponse(status: status, #"{"error":"\#(name)","message":"\#(message)"}"#, fields: fields)
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
