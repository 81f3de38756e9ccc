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

  /// Whether something is concluded from its absence, so that a value which cannot be read must not be taken for none: whether
  /// something is so, which record or account it is, and where a listing goes on.
  var decides: Bool {
    switch property.schema {
    case .boolean: true
    case .string(let string):
      switch string.format {
      case .atIdentifier, .atURI, .cid, .did, .handle, .nsid, .recordKey, .tid: true
      case .datetime, .language, .uri, nil: property.name == "cursor"
      }
    default: false
    }
  }

  /// Whether it may be any value of the data model, such as a record in a view.
  var isUnknown: Bool { if case .unknown = property.schema { true } else { false } }

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
