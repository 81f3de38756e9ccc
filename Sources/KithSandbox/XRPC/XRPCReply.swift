// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The answer of a procedure: its output, and header fields.
struct XRPCReply<Output: XRPCPayload> {
  let output: Output
  var fields: [SandboxAnswer.Field] = []

  init(_ output: Output, fields: [SandboxAnswer.Field] = []) {
    self.output = output
    self.fields = fields
  }
}

extension XRPCReply where Output == NoContent {
  /// The empty answer of a procedure.
  static var done: XRPCReply { XRPCReply(NoContent()) }
}
