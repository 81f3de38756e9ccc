// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import KithClient
package import KithCore

/// Changes what AppViews say about relationships on the way, as an outdated or careless AppView would.
package final class DisagreeingNetwork: HTTPTransport {
  package typealias Edit = @Sendable (_ row: inout DataObject) -> Void

  /// A second AppView.
  package static let other = "https://other.test"

  package let capabilities: TransportCapabilities
  private let base: FaultyNetwork
  private let edits: [String: Edit]
  private let silent: String?

  /// - Parameters:
  ///   - silent: a host that does not answer.
  ///   - edits: by host.
  package init(_ base: FaultyNetwork, silent: String? = nil, edits: [String: Edit] = [:]) {
    (self.base, capabilities, self.edits, self.silent) = (base, base.capabilities, edits, silent)
  }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let host = "https://\(request.head.authority ?? "")"
    if host == silent { throw TransportError(.cannotConnect, host: host) }
    let answer = try await base.send(request)
    guard let edit = edits[host], request.head.path?.contains("getRelationships") == true,
      case .object(var fields) = try JSONCoding.decode(DataValue.self, from: answer.body)
    else { return answer }
    fields["relationships"] = .array(
      (fields["relationships"]?.array ?? []).map { row in
        guard case .object(var fields) = row else { return row }
        edit(&fields)
        return .object(fields)
      })
    return TransportResponse(head: answer.head, body: try JSONCoding.encode(DataValue.object(fields)))
  }
}
