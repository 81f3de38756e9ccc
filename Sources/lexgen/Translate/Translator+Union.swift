// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns an enum with a case for each member, and `unknown` if the union is open.
  func enumeration(
    of union: UnionSchema, named name: String, in context: Context, isBody: Bool = false
  ) -> TypeDeclaration {
    let members = unionMembers(of: union)
    let isIndirect = !context.isInArray && recursion.isIndirect(union, in: context.owner)
    var type = TypeDeclaration(introducer: isIndirect ? .indirectEnumeration : .enumeration, name: name)
    type.conformances = isBody ? ["LexiconUnion", "XRPCPayload"] : ["LexiconUnion"]
    type.members = members.map {
      .enumCase(name: $0.name, payload: typeName(of: $0.id), rawValue: nil)
    }
    if !union.isClosed {
      type.members.append(.enumCase(name: "unknown", payload: "UnknownUnionMember", rawValue: nil))
    }
    type.members += [decoding(of: members, isClosed: union.isClosed)]
    type.members += [encoding(of: members, isClosed: union.isClosed)]
    if context.isValidated, constraints.holds(.union(union)) {
      if !isBody { type.conformances.append("ConstrainedValue") }
      type.members.append(validation(of: members))
    }
    return type
  }

  private struct UnionMember {
    let id: DefinitionID
    let name: String
  }

  /// Members are named after the definition, and also after the document if that is another one and not a
  /// `defs`.
  private func unionMembers(of union: UnionSchema) -> [UnionMember] {
    var taken: Set<String> = ["unknown"]
    return union.references.map { reference in
      let id = reference.target
      let document = id.nsid.split(separator: ".").last.map(String.init) ?? id.nsid
      let isOwn = id.nsid == reference.node.source.nsid || document == "defs"
      var name = Naming.member(id.isMain ? document : isOwn ? id.name : "\(document)-\(id.name)")
      if !taken.insert(name).inserted {
        name = Naming.member(id.description)
        taken.insert(name)
      }
      return UnionMember(id: id, name: name)
    }
  }

  private func decoding(of members: [UnionMember], isClosed: Bool) -> Member {
    var cases: [(pattern: String, body: [Statement])] = members.map { member in
      let name = member.name.filter { $0 != "`" }
      let decoded =
        usage.keepingUnknownFields.contains(member.id)
        ? "Self.member(of: decoder)" : "\(typeName(of: member.id))(from: decoder)"
      return ("case \"\(member.id)\"", [.line("self = .\(name)(try \(decoded))")])
    }
    let other =
      isClosed
      ? "throw try Self.unexpectedMember(of: decoder)"
      : "self = .unknown(try UnknownUnionMember(from: decoder))"
    cases.append(("default", [.line(other)]))
    return .initializer(
      parameters: [Member.Parameter(name: "from decoder", type: "any Decoder")], throwing: "throws",
      body: [.switch(subject: "try Self.memberType(of: decoder)", cases)])
  }

  private func encoding(of members: [UnionMember], isClosed: Bool) -> Member {
    var cases: [(pattern: String, body: [Statement])] = members.map { member in
      let name = member.name.filter { $0 != "`" }
      return (
        "case .\(name)(let value)",
        [.line("try Self.encode(value, as: \"\(member.id)\", to: encoder)")]
      )
    }
    if !isClosed { cases.append(("case .unknown(let value)", [.line("try value.encode(to: encoder)")])) }
    return .function(
      name: "encode", parameters: [Member.Parameter(name: "to encoder", type: "any Encoder")],
      throwing: "throws", body: [.switch(subject: "self", cases)])
  }

  private func validation(of members: [UnionMember]) -> Member {
    let constrained = members.filter { constraints.holds($0.id) }
    var cases: [(pattern: String, body: [Statement])] = constrained.map { member in
      ("case .\(member.name.filter { $0 != "`" })(let value)", [.line("try value.validate()")])
    }
    cases.append(("default", [.line("break")]))
    return validation([.switch(subject: "self", cases)])
  }
}
