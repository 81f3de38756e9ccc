// SPDX-License-Identifier: Apache-2.0

/// What a type is generated for.
struct Context {
  /// The definition that it belongs to.
  let owner: DefinitionID
  let keepsUnknownFields: Bool
  let isValidated: Bool
  /// Whether an array stands between, so that no value contains itself.
  var isInArray = false

  var inArray: Context {
    var context = self
    context.isInArray = true
    return context
  }
}
