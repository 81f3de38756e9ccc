// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// `[Element]`; elements that are defined in place get the array's name and `Element`.
  func type(of array: ArraySchema, named name: String, in context: Context, scope: inout Scope) -> String {
    "[" + type(of: array.items, named: "\(name)-element", in: context.inArray, scope: &scope) + "]"
  }
}
