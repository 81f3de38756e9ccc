// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HTTPTypes
package import KithClient

/// The method and the parameters of a request, parsed independently of the code that wrote them.
package struct RequestQuery: Sendable {
  /// The NSID at the end of the path.
  package let method: String
  private let items: [(name: String, value: String)]

  /// Parses the path of a request.
  package init(_ request: TransportRequest) {
    let parts = URLComponents(string: "https://host.test" + (request.head.path ?? ""))
    method = parts?.path.split(separator: "/").last.map(String.init) ?? ""
    items = (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
  }

  /// Returns the values of a parameter, in order.
  package subscript(name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }
}
