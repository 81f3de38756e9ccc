// SPDX-License-Identifier: Apache-2.0

extension Translator {
  func validation(_ checks: [Statement]) -> Member {
    .function(name: "validate", parameters: [], throwing: "throws(ValidationError)", body: checks)
  }

  /// Returns the statements that check the fields of a struct against their limits.
  func checks(of fields: [Field]) -> [Statement] {
    fields.filter { $0.fixedValue == nil }.flatMap { field in
      checks(
        of: field.property.schema,
        on: CheckSubject(
          value: field.value, isOptional: field.isOptional, path: Literal.string(field.property.name)))
    }
  }

  private func checks(of schema: Schema, on subject: CheckSubject) -> [Statement] {
    switch schema {
    case .boolean(let boolean):
      return boolean.constant.map { [subject.check("constant", ["is: \($0)"])] } ?? []
    case .integer(let integer): return checks(of: integer, on: subject)
    case .string(let string): return checks(of: string, on: subject)
    case .bytes(let bytes):
      return bytes.length.isEmpty ? [] : [subject.check("size", arguments(bytes.length))]
    case .blob(let blob): return checks(of: blob, on: subject)
    case .unknown: return [subject.check("object")]
    case .object, .union: return constraints.holds(schema) ? [subject.check("value")] : []
    case .reference(let reference):
      guard case .schema(let target)? = library[reference.target], !isNominal(target) else {
        return constraints.holds(reference.target) ? [subject.check("value")] : []
      }
      return checks(of: target, on: subject)
    case .array(let array):
      let count = array.count.isEmpty ? [] : [subject.check("count", arguments(array.count))]
      return count + checks(ofElements: array.items, on: subject)
    case .cidLink: return []
    }
  }

  private func checks(of integer: IntegerSchema, on subject: CheckSubject) -> [Statement] {
    var checks: [Statement] = []
    if !integer.limits.isEmpty { checks.append(subject.check("range", arguments(integer.limits))) }
    if !integer.choices.isEmpty { checks.append(subject.check("choice", ["among: \(integer.choices)"])) }
    if let constant = integer.constant { checks.append(subject.check("constant", ["is: \(constant)"])) }
    return checks
  }

  private func checks(of string: StringSchema, on subject: CheckSubject) -> [Statement] {
    let isPlain = string.format == nil && string.knownValues.isEmpty && string.choices.isEmpty
    let text = isPlain ? subject : subject.member(string.format == nil ? "rawValue" : "description")
    var checks: [Statement] = []
    if !string.length.isEmpty { checks.append(text.check("length", arguments(string.length))) }
    if !string.graphemes.isEmpty { checks.append(text.check("graphemes", arguments(string.graphemes))) }
    if let constant = string.constant {
      checks.append(text.check("constant", ["is: \(Literal.string(constant))"]))
    }
    return checks
  }

  private func checks(of blob: BlobSchema, on subject: CheckSubject) -> [Statement] {
    let accept = blob.accept.isEmpty ? [] : ["accept: \(Literal.array(blob.accept))"]
    let size = blob.maxSize.map { ["maxSize: \(Literal.integer($0))"] } ?? []
    return accept.isEmpty && size.isEmpty ? [] : [subject.check("blob", accept + size)]
  }

  private func checks(ofElements items: Schema, on subject: CheckSubject) -> [Statement] {
    guard constraints.holds(items) else { return [] }
    if isValidating(items) { return [subject.check("values")] }
    let checks = checks(of: items, on: CheckSubject(value: "element", isOptional: false, path: "\"\""))
    let opening = "try Validation.each(\(subject.value), at: \(subject.path))"
    return checks.isEmpty
      ? [] : [.closure(opening: opening, signature: "(element) throws(ValidationError) in", checks)]
  }

  /// Whether the type of a schema has its own `validate()`.
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
}
