// SPDX-License-Identifier: Apache-2.0

/// `bytes`: binary data inside the record.
struct BytesSchema {
  let length: Limits

  init?(_ node: Node) {
    guard let fields = Fields(node, optional: ["minLength", "maxLength"]) else { return nil }
    length = fields.limits("minLength", "maxLength")
  }
}
