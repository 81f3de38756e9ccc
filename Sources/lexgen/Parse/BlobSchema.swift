// SPDX-License-Identifier: Apache-2.0

/// `blob`: a file beside the record, referred to by its CID.
struct BlobSchema {
  /// MIME types, also as `image/*` and `*/*`; empty where any will do.
  let accept: [String]
  /// In bytes.
  let maxSize: Int?

  init?(_ node: Node) {
    guard let fields = Fields(node, optional: ["accept", "maxSize"]) else { return nil }
    accept = fields.strings("accept") ?? []
    maxSize = fields.integer("maxSize")
  }
}
