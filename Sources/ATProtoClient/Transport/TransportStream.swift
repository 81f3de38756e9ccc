// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// An answer to a ``TransportRequest`` whose body is still to be read.
public struct TransportStream: Sendable {
  /// Status and header fields of the final answer.
  public let head: HTTPResponse
  /// The body as it comes; letting go of it unread aborts the transfer.
  public let body: TransportBody

  /// Puts an answer together.
  public init(head: HTTPResponse, body: TransportBody) {
    self.head = head
    self.body = body
  }

  /// The MIME type of the body as the head has it, in lower case and without parameters; nil for none.
  public var mediaType: String? {
    guard let type = head.headerFields[.contentType] else { return nil }
    let words = type.prefix { $0 != ";" }.split(whereSeparator: \.isWhitespace)
    return words.first?.lowercased()
  }
}
