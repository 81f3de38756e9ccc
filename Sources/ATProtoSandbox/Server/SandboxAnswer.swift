// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One answer, before it becomes HTTP.
struct SandboxAnswer {
  let status: Int
  let contentType: String
  let body: [UInt8]

  init(status: Int = 200, contentType: String = "application/json; charset=utf-8", body: [UInt8]) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  /// The XRPC error body for a fault.
  init(_ fault: XRPCFault) {
    // Two strings always encode.
    let body = (try? JSONCoding.encode(XRPCFaultBody(error: fault.name, message: fault.message))) ?? []
    self.init(status: fault.status, body: body)
  }
}
