// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The answer of a procedure: its output, and header fields.
struct XRPCReply<Output: XRPCPayload> {
  let output: Output
  var fields: [HeaderField] = []

  init(_ output: Output, fields: [HeaderField] = []) {
    self.output = output
    self.fields = fields
  }
}

extension XRPCReply where Output == NoContent {
  /// The empty answer of a procedure.
  static var done: XRPCReply { XRPCReply(NoContent()) }
}
