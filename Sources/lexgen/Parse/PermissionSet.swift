// SPDX-License-Identifier: Apache-2.0

/// `permission-set`: scopes that are granted together. It is checked, but nothing is generated from it.
struct PermissionSet {
  init?(_ node: Node) {
    let texts = ["title", "title:lang", "detail", "detail:lang"]
    guard let fields = Fields(node, required: ["permissions"], optional: texts),
      let permissions = fields["permissions"]?.elements()
    else { return nil }
    for name in ["title", "detail"] {
      _ = fields.string(name)
      for (_, translation) in fields["\(name):lang"]?.members() ?? [] { _ = translation.string() }
    }
    for permission in permissions { PermissionSet.check(permission) }
  }

  private static func check(_ node: Node) {
    let lists = ["collection", "action", "lxm", "accept"]
    guard
      let fields = Fields(
        node, required: ["type", "resource"], optional: lists + ["aud", "inheritAud", "attr"]),
      let resource = fields.string("resource")
    else { return }
    if fields.string("type") != "permission" { node.report("must be of type \"permission\"") }
    for name in lists { _ = fields.strings(name) }
    _ = fields.string("aud")
    _ = fields.string("attr")
    _ = fields.boolean("inheritAud")
    let needed = [
      "repo": "collection", "rpc": "lxm", "blob": "accept", "account": "attr", "identity": "attr",
    ]
    guard let member = needed[resource] else {
      fields["resource"]?.report("the resource \"\(resource)\" is unknown")
      return
    }
    if fields[member] == nil { node.report("\"\(member)\" is missing") }
  }
}
