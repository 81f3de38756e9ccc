// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns `[Element]`; inline elements are named after the array, with `Element`.
  func type(of array: ArraySchema, named name: String, in context: Context, scope: inout Scope) -> String {
    "[" + type(of: array.items, named: "\(name)-element", in: context.inArray, scope: &scope) + "]"
  }
}
