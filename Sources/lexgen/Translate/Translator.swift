// SPDX-License-Identifier: Apache-2.0

/// Translates lexicon documents to Swift declarations.
///
/// Each construct has its own file with an extension of this type.
struct Translator {
  let library: Library
  let usage: Usage
  let bounds: Bounds
  let constraints: Constraints
  let recursion: Recursion
  let extent: InlineSize

  init(library: Library, usage: Usage, bounds: Bounds) {
    self.library = library
    self.usage = usage
    self.bounds = bounds
    constraints = Constraints(of: library, among: usage.reachable)
    recursion = Recursion(library: library)
    extent = InlineSize(library: library)
  }

  /// Returns the full Swift type of a definition: `App.Bsky.Graph.Defs.Relationship`.
  func typeName(of id: DefinitionID) -> String {
    let document = id.nsid.split(separator: ".").map { Naming.type(String($0)) }.joined(separator: ".")
    return id.isMain ? document : "\(document).\(nestedName(of: id))"
  }

  /// Returns the name of a definition inside its document; a method's own parts take precedence.
  func nestedName(of id: DefinitionID) -> String {
    let name = Naming.type(id.name)
    let main = library[DefinitionID(nsid: id.nsid, name: "main")]
    if case .method? = main, Translator.partsOfMethods.contains(name) { return name + "Value" }
    return name
  }

  static let partsOfMethods: Set<String> = ["Parameters", "Input", "Output", "Message", "ErrorName"]

  func context(of id: DefinitionID) -> Context {
    Context(
      owner: id, keepsUnknownFields: usage.keepingUnknownFields.contains(id),
      isValidated: usage.validated.contains(id))
  }

  /// Returns the Swift type of a schema; inline definitions are added to the scope under the given name.
  func type(of schema: Schema, named name: String, in context: Context, scope: inout Scope) -> String {
    switch schema {
    case .boolean: return "Bool"
    case .integer: return "Int"
    case .bytes: return "Bytes"
    case .cidLink: return "CIDLink"
    case .blob: return "Blob"
    case .unknown: return "DataValue"
    case .string(let string): return type(of: string, named: name, scope: &scope)
    case .array(let array): return type(of: array, named: name, in: context, scope: &scope)
    case .reference(let reference): return type(of: reference, in: context)
    case .object(let object):
      let name = scope.claim(Naming.type(name))
      scope.add(.type(structure(of: object, named: name, in: context, as: .part)))
      return name
    case .union(let union):
      let name = scope.claim(Naming.type(name))
      scope.add(.type(enumeration(of: union, named: name, in: context)))
      return name
    }
  }
}
