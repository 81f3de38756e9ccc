// SPDX-License-Identifier: Apache-2.0

/// The context in which a type is generated.
struct Context {
  /// The definition that the type belongs to.
  let owner: DefinitionID
  let keepsUnknownFields: Bool
  let isValidated: Bool
  /// Whether an array is in between, so the value does not contain itself.
  var isInArray = false

  var inArray: Context {
    var context = self
    context.isInArray = true
    return context
  }
}
