// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response to a ``TransportRequest`` whose body is still to be read.
public struct TransportStream: Sendable {
  /// The status and header fields of the final response.
  public let head: HTTPResponse
  /// The body as it arrives; releasing it unread aborts the transfer.
  public let body: TransportBody

  /// Creates a response.
  public init(head: HTTPResponse, body: TransportBody) {
    self.head = head
    self.body = body
  }

  /// The MIME type in the head, in lower case and without parameters; nil if there is none.
  public var mediaType: String? {
    guard let type = head.headerFields[.contentType] else { return nil }
    let words = type.prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace)
    return words.first?.lowercased()
  }
}
