// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns the file of a document with its reachable definitions; nil if there are none.
  func file(of document: LexiconDocument, folder: String, modules: [Module]) -> SwiftFile? {
    let definitions = document.definitions.compactMap { name, definition in
      let id = DefinitionID(nsid: document.nsid, name: name)
      return usage.reachable.contains(id) ? (id: id, definition: definition) : nil
    }
    if definitions.isEmpty { return nil }
    let others = definitions.filter { !$0.id.isMain }
    var scope = Scope(taken: Set(others.map { nestedName(of: $0.id) }).union(Translator.partsOfMethods))
    let main = definitions.first(where: \.id.isMain)
    var type = main.flatMap { outerType(of: $0.definition, id: $0.id, scope: &scope) }
    if type == nil {
      type = TypeDeclaration(introducer: .enumeration, name: documentName(document.nsid))
      if let main { type?.members += members(of: main.definition, id: main.id, scope: &scope) }
    }
    for (id, definition) in others { type?.members += members(of: definition, id: id, scope: &scope) }
    guard var type else { return nil }
    type.members = sorted(type.members + scope.types)
    if type.members.isEmpty { return nil }
    let namespace = document.nsid.split(separator: ".").dropLast().map { Naming.type(String($0)) }
    var file = SwiftFile(
      name: document.nsid + ".swift", origin: "\(folder)/\(document.file)",
      declarations: [
        .type(
          TypeDeclaration(
            introducer: .extension, name: namespace.joined(separator: "."), members: [.type(type)]))
      ])
    file.imports = file.imports(of: modules)
    return file
  }

  private func documentName(_ nsid: String) -> String {
    Naming.type(nsid.split(separator: ".").last.map(String.init) ?? nsid)
  }

  /// Returns the type of the whole document if its main definition is one; its scope is the document's.
  private func outerType(of definition: Definition, id: DefinitionID, scope: inout Scope) -> TypeDeclaration?
  {
    let name = documentName(id.nsid)
    switch definition {
    case .record(let record): return structure(of: record, named: name, id: id, scope: &scope)
    case .schema(.object(let object)):
      return structure(of: object, named: name, in: context(of: id), as: .definition, scope: &scope)
    case .method(let method): return enumeration(of: method, named: name, id: id)
    case .schema, .token, .permissionSet: return nil
    }
  }

  /// Returns the members that a definition other than the document's own type adds to the document's scope.
  private func members(of definition: Definition, id: DefinitionID, scope: inout Scope) -> [Member] {
    let name = id.isMain ? "Main" : nestedName(of: id)
    switch definition {
    case .token:
      return [.constant(name: Naming.member(id.name), type: "String", value: "\"\(id)\"")]
    case .schema(.object(let object)):
      return [.type(structure(of: object, named: name, in: context(of: id), as: .definition))]
    case .schema(.string(let string)):
      if let type = enumeration(of: string, named: name, documentation: "`\(id)`.") { return [.type(type)] }
      return [.alias(name: name, type: plainType(of: string), documentation: "`\(id)`.")]
    case .schema(let schema):
      let type = type(of: schema, named: name, in: context(of: id), scope: &scope)
      return [.alias(name: name, type: type, documentation: "`\(id)`.")]
    case .record, .method, .permissionSet: return []
    }
  }

  /// Sorts constants first, then aliases, then all others in their order, which keeps equal kinds together.
  private func sorted(_ members: [Member]) -> [Member] {
    (0...2).flatMap { group in members.filter { $0.group == group } } + members.filter { $0.group > 2 }
  }
}
