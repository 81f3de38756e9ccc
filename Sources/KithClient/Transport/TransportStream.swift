// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A response to a ``TransportRequest`` whose body is still to be read.
public struct TransportStream: Sendable {
  /// The status and header fields of the final response.
  public let head: HTTPResponse
  /// The body as it arrives; releasing it unread aborts the transfer.
  public let body: TransportBody

  /// The request that redirects led to; nil without redirects.
  public let redirect: HTTPRequest?

  /// Creates a response.
  public init(head: HTTPResponse, body: TransportBody, redirect: HTTPRequest? = nil) {
    self.head = head
    self.body = body
    self.redirect = redirect
  }

  /// The MIME type in the head, in lower case and without parameters; nil if there is none.
  public var mediaType: String? {
    guard let type = head.headerFields[.contentType] else { return nil }
    let words = type.prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace)
    return words.first?.lowercased()
  }
}
