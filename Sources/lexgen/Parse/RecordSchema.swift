// SPDX-License-Identifier: Apache-2.0

/// `record`: an object in a repository, with a certain kind of record key.
struct RecordSchema {
  let object: ObjectSchema

  init?(_ node: Node) {
    guard let fields = Fields(node, required: ["key", "record"]), let inner = fields["record"] else {
      return nil
    }
    if let key = fields.string("key"), !["tid", "nsid", "any"].contains(key), !key.hasPrefix("literal:") {
      fields["key"]?.report("\"\(key)\" is not a kind of record key")
    }
    guard case .object(let object)? = Schema(inner) else {
      inner.report("must be of type \"object\"")
      return nil
    }
    self.object = object
  }
}
