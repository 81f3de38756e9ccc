// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// An answer before it is encoded as HTTP.
struct SandboxAnswer {
  /// A header field.
  struct Field: Hashable {
    let name: String
    let value: String
  }

  /// How an answer is delivered; all kinds except `whole` and `dribbled` end the connection.
  enum Delivery: Hashable {
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

  let status: Int
  /// The content type; nil without a body.
  let contentType: String?
  var body: [UInt8]
  /// Additional header fields.
  var fields: [Field] = []
  var delivery = Delivery.whole

  init(status: Int = 200, contentType: String? = "application/json; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// The XRPC error body for a fault.
  init(_ fault: XRPCFault) {
    // Encoding two strings never fails.
    let body = (try? JSONCoding.encode(XRPCFaultBody(error: fault.name, message: fault.message))) ?? []
    self.init(status: fault.status, body: body)
    fields = fault.fields
  }
}
