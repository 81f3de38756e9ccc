// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import Foundation
internal import HTTPTypes

/// The method and the parameters of a request, parsed independently of the code that wrote them.
public struct RequestQuery: Sendable {
  /// The NSID at the end of the path.
  public let method: String
  private let items: [(name: String, value: String)]

  /// Parses the path of a request.
  public init(_ request: TransportRequest) {
    let parts = URLComponents(string: "https://host.test" + (request.head.path ?? ""))
    method = parts?.path.split(separator: "/").last.map(String.init) ?? ""
    items = (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }
  }

  /// Returns the values of a parameter, in order.
  public subscript(name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }
}
