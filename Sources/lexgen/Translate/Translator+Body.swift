// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns the type of the body of a request or response; bytes that are not JSON also get their MIME type.
  func body(_ body: BodySchema, named name: String, id: DefinitionID, isValidated: Bool) -> [Member] {
    let context = Context(owner: id, keepsUnknownFields: false, isValidated: isValidated)
    switch body.schema {
    case .object(let object):
      return [.type(structure(of: object, named: name, in: context, as: .body))]
    case .union(let union):
      return [.type(enumeration(of: union, named: name, in: context, isBody: true))]
    case .reference(let reference):
      return [.alias(name: name, type: typeName(of: reference.target), documentation: nil)]
    default:
      let encoding = Member.constant(
        name: "\(name.lowercased())Encoding", type: "String?", value: Literal.string(body.encoding))
      return [encoding, .alias(name: name, type: "RawPayload", documentation: nil)]
    }
  }
}
