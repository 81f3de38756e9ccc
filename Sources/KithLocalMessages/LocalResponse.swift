// SPDX-License-Identifier: Apache-2.0

/// A response before it is encoded.
package struct LocalResponse: Sendable, Hashable {
  /// How a response is delivered; all kinds except `whole` and `dribbled` end the connection. A server that
  /// imitates faults uses the others.
  package enum Delivery: Sendable, Hashable {
    case whole
    /// In pieces with pauses.
    case dribbled(pieces: Int, pause: Duration)
    /// Half of the declared body, or half of the head without a body.
    case truncated
    /// Nothing or half, and then a reset.
    case reset(afterHalf: Bool)
    /// Nothing or the head, and then silence.
    case stalled(afterHead: Bool)
    /// Only the body, without HTTP.
    case raw
  }

  package var status: Int
  /// The content type; nil without a body.
  package var contentType: String?
  package var body: [UInt8]
  /// Additional fields; those for the type and the length of the body are added.
  package var fields: [HeaderField] = []
  package var delivery = Delivery.whole

  package init(
    status: Int = 200, contentType: String? = "application/json; charset=utf-8", body: [UInt8]
  ) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }
}
