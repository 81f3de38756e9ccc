// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns the type of a reference, in a box if it would contain itself.
  func type(of reference: ReferenceSchema, in context: Context) -> String {
    if case .token? = library[reference.target] { return "String" }
    let name = typeName(of: reference.target)
    let isBoxed = !context.isInArray && recursion.isBoxed(reference, in: context.owner)
    return isBoxed ? "Indirect<\(name)>" : name
  }
}
