// SPDX-License-Identifier: Apache-2.0

/// A complete request.
package struct LocalRequest: Sendable, Hashable {
  package var method: String
  /// The path, still percent-encoded.
  package var path: String
  /// The part after the `?`, still percent-encoded.
  package var query: String
  /// In the order of the request.
  package var fields: [HeaderField]
  package var body: [UInt8]
  /// Whether the client may send another request on the same connection.
  package var keepsAlive: Bool

  package init(
    method: String = "GET", path: String, query: String = "", fields: [HeaderField] = [], body: [UInt8] = [],
    keepsAlive: Bool = true
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.fields = fields
    self.body = body
    self.keepsAlive = keepsAlive
  }

  /// Returns the value of the first field with that name, which is compared without regard to case.
  package subscript(_ name: String) -> String? {
    fields.first { $0.name.count == name.count && $0.name.lowercased() == name.lowercased() }?.value
  }

  /// The subprotocols that a client offers for a WebSocket, the one that it likes best first.
  package var subprotocols: [String] {
    fields.filter { $0.name.lowercased() == "sec-websocket-protocol" }
      .flatMap { $0.value.split { ", \t".contains($0) } }.map(String.init)
  }

  /// The names and values of the query.
  package var queryItems: QueryItems { get throws(QueryItems.Fault) { try QueryItems(query.utf8) } }

  /// The values of all cookies with that name.
  package func cookies(_ name: String) -> [String] {
    var values: [String] = []
    for field in fields where field.name.lowercased() == "cookie" {
      for pair in field.value.split(separator: ";") {
        let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard sides.count == 2, sides[0].drop(while: { $0 == " " }) == name else { continue }
        values.append(String(sides[1]))
      }
    }
    return values
  }
}
