// SPDX-License-Identifier: Apache-2.0

/// A property on its way to Swift.
struct Field {
  let property: ObjectSchema.Property
  /// In Swift, in backticks where it has to be.
  let name: String
  /// In Swift, without what being optional adds.
  let type: String

  var isOptional: Bool { !property.isRequired || property.isNullable }

  /// Required and nullable is `T?`; optional and nullable tells null from absent.
  var storedType: String {
    switch (property.isRequired, property.isNullable) {
    case (true, false): type
    case (true, true), (false, false): type + "?"
    case (false, true): "Nullable<\(type)>?"
    }
  }

  /// The one value that it can have, as a literal.
  var fixedValue: String? {
    guard property.isFixed else { return nil }
    return switch property.schema {
    case .boolean(let boolean): boolean.constant.map { "\($0)" }
    case .integer(let integer): integer.constant.map { "\($0)" }
    case .string(let string): string.constant.map(Literal.string)
    default: nil
    }
  }

  /// As the memberwise initializer has it: label and name where they differ.
  var parameter: String {
    let label = Naming.label(property.name)
    return label == bareName ? name : "\(label) \(name)"
  }

  /// The name without its backticks.
  var bareName: String { name.filter { $0 != "`" } }

  /// The property within a function whose own names might hide it.
  var access: String {
    ["container", "decoder", "encoder", "items"].contains(name) ? "self.\(name)" : name
  }

  /// The expression of the value, nil where it is absent or null.
  var value: String {
    property.isNullable && !property.isRequired ? "\(access)?.value" : access
  }
}
