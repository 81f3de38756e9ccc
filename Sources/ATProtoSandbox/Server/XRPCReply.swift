// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What a procedure answers: its output, and fields of the answer's head.
struct XRPCReply<Output: XRPCPayload> {
  let output: Output
  var fields: [SandboxAnswer.Field] = []

  init(_ output: Output, fields: [SandboxAnswer.Field] = []) {
    self.output = output
    self.fields = fields
  }
}

extension XRPCReply where Output == NoContent {
  /// The answer of a procedure that has nothing to say.
  static var done: XRPCReply { XRPCReply(NoContent()) }
}
