// SPDX-License-Identifier: Apache-2.0

extension Translator {
  func validation(_ checks: [Statement]) -> Member {
    .function(name: "validate", parameters: [], throwing: "throws(ValidationError)", body: checks)
  }

  /// The statements that check the fields of a struct against their limits.
  func checks(of fields: [Field]) -> [Statement] {
    fields.filter { $0.fixedValue == nil }.flatMap { field in
      checks(
        of: field.property.schema, value: field.value, isOptional: field.isOptional,
        at: Literal.string(field.property.name))
    }
  }

  private func checks(
    of schema: Schema, value: String, isOptional: Bool, at path: String
  ) -> [Statement] {
    func call(_ function: String, _ arguments: [String] = [], of value: String) -> [Statement] {
      [.line("try Validation.\(function)(\(([value, "at: \(path)"] + arguments).joined(separator: ", ")))")]
    }
    switch schema {
    case .boolean(let boolean):
      return boolean.constant.map { call("constant", ["is: \($0)"], of: value) } ?? []
    case .integer(let integer):
      var checks: [Statement] = []
      if !integer.limits.isEmpty { checks += call("range", arguments(integer.limits), of: value) }
      if !integer.choices.isEmpty { checks += call("choice", ["among: \(integer.choices)"], of: value) }
      if let constant = integer.constant { checks += call("constant", ["is: \(constant)"], of: value) }
      return checks
    case .string(let string):
      let text = text(of: string, value: value, isOptional: isOptional)
      var checks: [Statement] = []
      if !string.length.isEmpty { checks += call("length", arguments(string.length), of: text) }
      if !string.graphemes.isEmpty { checks += call("graphemes", arguments(string.graphemes), of: text) }
      if let constant = string.constant {
        checks += call("constant", ["is: \(Literal.string(constant))"], of: text)
      }
      return checks
    case .bytes(let bytes):
      return bytes.length.isEmpty ? [] : call("size", arguments(bytes.length), of: value)
    case .blob(let blob):
      let accept = blob.accept.isEmpty ? [] : ["accept: \(Literal.array(blob.accept))"]
      let size = blob.maxSize.map { ["maxSize: \(Literal.integer($0))"] } ?? []
      return accept.isEmpty && size.isEmpty ? [] : call("blob", accept + size, of: value)
    case .unknown: return call("object", of: value)
    case .object, .union: return constraints.holds(schema) ? call("value", of: value) : []
    case .reference(let reference):
      guard case .schema(let target)? = library[reference.target], !isNominal(target) else {
        return constraints.holds(reference.target) ? call("value", of: value) : []
      }
      return checks(of: target, value: value, isOptional: isOptional, at: path)
    case .array(let array):
      let count = array.count.isEmpty ? [] : call("count", arguments(array.count), of: value)
      return count + checks(ofElements: array.items, value: value, at: path)
    case .cidLink: return []
    }
  }

  private func checks(ofElements items: Schema, value: String, at path: String) -> [Statement] {
    guard constraints.holds(items) else { return [] }
    if isValidating(items) { return [.line("try Validation.values(\(value), at: \(path))")] }
    let checks = checks(of: items, value: "element", isOptional: false, at: "\"\"")
    let opening = "try Validation.each(\(value), at: \(path))"
    return checks.isEmpty
      ? [] : [.closure(opening: opening, signature: "(element) throws(ValidationError) in", checks)]
  }

  /// Whether a schema's type has a `validate()` of its own.
  private func isValidating(_ schema: Schema) -> Bool {
    switch schema {
    case .object, .union: return true
    case .reference(let reference):
      guard case .schema(let target)? = library[reference.target] else { return true }
      return isNominal(target)
    default: return false
    }
  }

  private func isNominal(_ schema: Schema) -> Bool {
    if case .object = schema { true } else { false }
  }

  private func arguments(_ limits: Limits) -> [String] {
    (limits.min.map { ["min: \(Literal.integer($0))"] } ?? [])
      + (limits.max.map { ["max: \(Literal.integer($0))"] } ?? [])
  }

  /// A string's text, whatever type it has.
  private func text(of string: StringSchema, value: String, isOptional: Bool) -> String {
    let isPlain = string.format == nil && string.knownValues.isEmpty && string.choices.isEmpty
    if isPlain { return value }
    return value + (isOptional ? "?" : "") + (string.format == nil ? ".rawValue" : ".description")
  }
}
