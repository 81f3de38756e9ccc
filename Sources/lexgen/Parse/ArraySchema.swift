// SPDX-License-Identifier: Apache-2.0

/// `array`: any number of elements of one type.
struct ArraySchema {
  let items: Schema
  let count: Limits

  init?(_ node: Node) {
    guard let fields = Fields(node, required: ["items"], optional: ["minLength", "maxLength"]),
      let items = fields["items"].flatMap(Schema.init)
    else { return nil }
    self.items = items
    count = fields.limits("minLength", "maxLength")
  }
}
