// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One answer, before it becomes HTTP.
struct SandboxAnswer {
  /// A field of the head.
  struct Field: Hashable {
    let name: String
    let value: String
  }

  /// How an answer goes over the wire; all but the first and `dribbled` end the connection.
  enum Delivery: Hashable {
    case whole
    /// In pieces, with a pause between two.
    case dribbled(pieces: Int, pause: Duration)
    /// Half of the body, or of the head where there is no body, of the length that was declared.
    case truncated
    /// Nothing or half, and then a reset.
    case reset(afterHalf: Bool)
    /// Nothing or the head, and then silence.
    case stalled(afterHead: Bool)
    /// The body alone, without HTTP around it.
    case raw
  }

  let status: Int
  /// What the body is; nil where there is none.
  let contentType: String?
  var body: [UInt8]
  /// Further fields of the head.
  var fields: [Field] = []
  var delivery = Delivery.whole

  init(status: Int = 200, contentType: String? = "application/json; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// The XRPC error body for a fault.
  init(_ fault: XRPCFault) {
    // Two strings always encode.
    let body = (try? JSONCoding.encode(XRPCFaultBody(error: fault.name, message: fault.message))) ?? []
    self.init(status: fault.status, body: body)
    fields = fault.fields
  }
}
