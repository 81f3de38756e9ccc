// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import HTTPTypes

extension TransportResponse {
  /// An answer with a text as its body.
  public init(
    status: Int = 200, _ body: String = "", type: String = "application/json", fields: HTTPFields = [:]
  ) {
    var head = HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields)
    head.headerFields[.contentType] = type
    self.init(head: head, body: Array(body.utf8))
  }

  /// An error as the reference servers answer it.
  public static func xrpcError(
    _ status: Int, _ name: String, _ message: String, fields: HTTPFields = [:]
  ) -> TransportResponse {
    TransportResponse(status: status, #"{"error":"\#(name)","message":"\#(message)"}"#, fields: fields)
  }
}

extension HTTPFields {
  /// Fields by plain names; a name that HTTP does not allow is left out.
  public init(named fields: [String: String]) {
    self.init()
    for (name, value) in fields {
      if let name = HTTPField.Name(name) { self[name] = value }
    }
  }
}
