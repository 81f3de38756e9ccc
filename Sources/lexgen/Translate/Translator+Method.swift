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
