// SPDX-License-Identifier: Apache-2.0

/// The body of a request or response.
struct BodySchema {
  /// A MIME type, or `*/*`.
  let encoding: String
  /// The schema of a JSON body; nil for bytes that the lexicon does not describe.
  let schema: Schema?

  init?(_ node: Node) {
    guard let fields = Fields(node, required: ["encoding"], optional: ["schema"]),
      let encoding = fields.string("encoding")
    else { return nil }
    self.encoding = encoding
    schema = fields["schema"].flatMap(Schema.init)
    switch schema {
    case nil, .object, .reference, .union: break
    default: fields["schema"]?.report("a body must be an object, a ref or a union")
    }
    if schema != nil, encoding != "application/json" {
      fields["schema"]?.report("only a body of application/json can have one")
    }
  }
}
