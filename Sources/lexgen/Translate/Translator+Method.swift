// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns an enum without cases that contains everything a client needs to know about a method.
  func enumeration(of method: MethodSchema, named name: String, id: DefinitionID) -> TypeDeclaration {
    var type = TypeDeclaration(introducer: .enumeration, name: name)
    switch method.kind {
    case .query: type.conformances = ["XRPCQuery"]
    case .procedure: type.conformances = ["XRPCProcedure"]
    case .subscription: type.conformances = ["XRPCSubscription"]
    }
    type.documentation = "\(method.kind.rawValue.capitalizedFirst) `\(id)`."
    type.members = [nsid(id.nsid)]
    if let bounds = bounds[id.nsid] { type.members.append(answerBounds(bounds, of: method)) }
    if let parameters = method.parameters, !parameters.properties.isEmpty {
      type.members.append(.type(self.parameters(parameters, id: id)))
    }
    if let input = method.input { type.members += body(input, named: "Input", id: id, isValidated: true) }
    if let output = method.output {
      type.members += body(output, named: "Output", id: id, isValidated: false)
    }
    if let message = method.message {
      let context = Context(owner: id, keepsUnknownFields: false, isValidated: false)
      type.members.append(.type(enumeration(of: message, named: "Message", in: context)))
    }
    if !method.errors.isEmpty { type.members.append(.type(errorNames(method.errors))) }
    return type
  }

  /// Returns the maximum size of a response. The length of its list follows from the parameters.
  private func answerBounds(_ bounds: Bounds.Size, of method: MethodSchema) -> Member {
    var arguments = "bytes: \(bounds.kibibytes) << 10, nodes: \(Literal.integer(bounds.nodes))"
    if let list = list(in: method) { arguments += ", list: \(list)" }
    return .constant(name: "answerBounds", type: "AnswerBounds", value: "AnswerBounds(\(arguments))")
  }

  private func list(in method: MethodSchema) -> String? {
    let properties = method.parameters?.properties ?? []
    if properties.contains(where: { $0.name == "limit" }) { return ".page" }
    let array = properties.first { if case .array = $0.schema { true } else { false } }
    return array.map { ".each(of: \(Literal.string($0.name)))" }
  }

  private func errorNames(_ errors: [ErrorSchema]) -> TypeDeclaration {
    TypeDeclaration(
      introducer: .enumeration, name: "ErrorName",
      members: errors.map { error in
        .constant(
          name: Naming.member(error.name), type: "XRPCErrorName",
          value: "XRPCErrorName(rawValue: \(Literal.string(error.name)))")
      })
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
