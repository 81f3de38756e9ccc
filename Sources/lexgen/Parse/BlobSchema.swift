// SPDX-License-Identifier: Apache-2.0

/// `blob`: a file outside the record, referenced by its CID.
struct BlobSchema {
  /// The accepted MIME types, including `image/*` and `*/*`; empty if any type is accepted.
  let accept: [String]
  /// The maximum size in bytes.
  let maxSize: Int?

  init?(_ node: Node) {
    guard let fields = Fields(node, optional: ["accept", "maxSize"]) else { return nil }
    accept = fields.strings("accept") ?? []
    maxSize = fields.integer("maxSize")
  }
}
