// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import SandboxSupport

@testable import KithDashboard

/// A network in which one account has another display name, as a stranger may choose it.
struct RenamedAccount: HTTPTransport {
  /// A name that tries to be markup and to reorder what is around it, as it is in JSON.
  static let hostile = #"</b><script>alert(1)</script>\u202egnp"#

  let network: FaultyNetwork
  let name: String

  var capabilities: TransportCapabilities { network.capabilities }

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var response = try await network.send(request)
    let text = String(decoding: response.body, as: UTF8.self)
    let (old, new) = ("\"displayName\":\"\(name)\"", "\"displayName\":\"\(Self.hostile)\"")
    if text.contains(old) { response.body = Array(text.replacing(old, with: new).utf8) }
    return response
  }

  /// Whether a page shows the name without its effect.
  static func isHarmless(in page: String) -> Bool {
    page.contains("&lt;script&gt;alert(1)") && !page.contains("<script>alert") && !page.contains("\u{202E}")
  }
}
