// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns a struct that has its collection, encodes `$type`, and keeps unknown fields.
  func structure(
    of record: RecordSchema, named name: String, id: DefinitionID, scope: inout Scope
  ) -> TypeDeclaration {
    let context = Context(owner: id, keepsUnknownFields: true, isValidated: true)
    let fields = fields(of: record.object, in: context, scope: &scope)
    var type = TypeDeclaration(introducer: .structure, name: name, conformances: ["LexiconRecord"])
    type.documentation = "Record `\(id)`."
    type.members = [nsid(id.nsid)]
    type.members += storage(of: fields, keepingUnknownFields: true)
    type.members += coding(of: fields, keepingUnknownFields: true, isRecord: true)
    let checks = checks(of: fields)
    if !checks.isEmpty { type.members.append(validation(checks)) }
    return type
  }

  func nsid(_ nsid: String) -> Member {
    .constant(name: "nsid", type: "NSID", value: "NSID(generated: \"\(nsid)\")")
  }
}
