// SPDX-License-Identifier: Apache-2.0

/// A property being translated to Swift.
struct Field {
  let property: ObjectSchema.Property
  /// The Swift name, in backticks if necessary.
  let name: String
  /// The Swift type, without optionality.
  let type: String

  var isOptional: Bool { !property.isRequired || property.isNullable }

  /// Required and nullable is `T?`; optional and nullable distinguishes null from absence.
  var storedType: String {
    switch (property.isRequired, property.isNullable) {
    case (true, false): type
    case (true, true), (false, false): type + "?"
    case (false, true): "Nullable<\(type)>?"
    }
  }

  /// The only value that it can have, as a literal.
  var fixedValue: String? {
    guard property.isFixed else { return nil }
    return switch property.schema {
    case .boolean(let boolean): boolean.constant.map { "\($0)" }
    case .integer(let integer): integer.constant.map { "\($0)" }
    case .string(let string): string.constant.map(Literal.string)
    default: nil
    }
  }

  /// The parameter of the memberwise initializer: label and name if they differ.
  var parameter: String {
    let label = Naming.label(property.name)
    return label == bareName ? name : "\(label) \(name)"
  }

  /// The name without backticks.
  var bareName: String { name.filter { $0 != "`" } }

  /// The property inside a function whose local names might shadow it.
  var access: String {
    ["container", "decoder", "encoder", "items"].contains(name) ? "self.\(name)" : name
  }

  /// The expression of the value, which is nil if it is absent or null.
  var value: String {
    property.isNullable && !property.isRequired ? "\(access)?.value" : access
  }
}
