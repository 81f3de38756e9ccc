// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import SandboxSupport
import TestSupport

/// Changes good answers on the way, as servers do that are careless, older or newer.
struct RewritingNetwork: HTTPTransport {
  typealias Fields = [String: Any]

  let network: FaultyNetwork
  /// Changes the answer to a call.
  let edit: @Sendable (_ request: RequestQuery, _ answer: inout Fields) -> Void

  var capabilities: TransportCapabilities { network.capabilities }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    let answer = try await network.send(request)
    guard answer.head.status.kind == .successful,
      var fields = try? JSONSerialization.jsonObject(with: Data(answer.body)) as? Fields
    else { return answer }
    edit(RequestQuery(request), &fields)
    var json = try JSONSerialization.data(withJSONObject: fields)
    while let half = json.range(of: Data(Self.half.utf8)) {
      json.replaceSubrange(half, with: Data(#"\ud83d"#.utf8))
    }
    return TransportResponse(head: answer.head, body: Array(json))
  }

  /// Stands for half a surrogate pair, which Foundation does not write.
  static let half = "HALF-A-SURROGATE-PAIR"

  /// Applies a change to all objects in a value, the innermost first.
  static func everywhere(in value: Any, _ edit: (inout Fields) -> Void) -> Any {
    switch value {
    case let inner as Fields:
      var fields = inner.mapValues { everywhere(in: $0, edit) }
      edit(&fields)
      return fields
    case let elements as [Any]: return elements.map { everywhere(in: $0, edit) }
    default: return value
    }
  }
}
