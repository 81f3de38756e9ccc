// SPDX-License-Identifier: Apache-2.0

/// The checks used by generated `validate()` functions.
///
/// Each takes a value, which passes if it is nil, and the name of its property, which is the start of the
/// path of a ``ValidationError``.
package enum Validation {
  /// Checks the length of a text in UTF-8 bytes.
  package static func length(
    _ text: String?, at name: String, min: Int = 0, max: Int = .max
  ) throws(ValidationError) {
    if let text { try check(text.utf8.count, at: name, min, max, unit: "bytes") }
  }

  /// Checks the length of a text in extended grapheme clusters.
  package static func graphemes(
    _ text: String?, at name: String, min: Int = 0, max: Int = .max
  ) throws(ValidationError) {
    guard let text else { return }
    // A grapheme has at least one byte, so most texts need not be counted.
    if min == 0, text.utf8.count <= max { return }
    try check(text.count, at: name, min, max, unit: "graphemes")
  }

  /// Checks the number of elements of an array.
  package static func count<Element>(
    _ elements: [Element]?, at name: String, min: Int = 0, max: Int = .max
  ) throws(ValidationError) {
    if let elements { try check(elements.count, at: name, min, max, unit: "elements") }
  }

  /// Checks the number of bytes of binary data.
  package static func size(
    _ bytes: Bytes?, at name: String, min: Int = 0, max: Int = .max
  ) throws(ValidationError) {
    if let bytes { try check(bytes.bytes.count, at: name, min, max, unit: "bytes") }
  }

  /// Checks that a number is within its limits.
  package static func range(
    _ number: Int?, at name: String, min: Int = .min, max: Int = .max
  ) throws(ValidationError) {
    guard let number else { return }
    if number < min { throw ValidationError(path: name, reason: "must be at least \(min), not \(number)") }
    if number > max { throw ValidationError(path: name, reason: "must be at most \(max), not \(number)") }
  }

  /// Checks that a number is one of the allowed ones.
  package static func choice(
    _ number: Int?, at name: String, among choices: [Int]
  ) throws(ValidationError) {
    guard let number, !choices.contains(number) else { return }
    throw ValidationError(path: name, reason: "must be one of \(choices), not \(number)")
  }

  /// Checks that a value is the only allowed one.
  package static func constant<Value: Equatable>(
    _ value: Value?, at name: String, is constant: Value
  ) throws(ValidationError) {
    guard let value, value != constant else { return }
    throw ValidationError(path: name, reason: "must be \(constant), not \(value)")
  }

  /// Checks type and size of a blob; types are accepted by name, or by a pattern such as `image/*` or `*/*`.
  package static func blob(
    _ blob: Blob?, at name: String, accept: [String] = [], maxSize: Int = .max
  ) throws(ValidationError) {
    guard let blob else { return }
    let isAccepted = accept.contains { pattern in
      pattern == "*/*" || pattern == blob.mimeType
        || pattern.hasSuffix("/*") && blob.mimeType.hasPrefix(pattern.dropLast())
    }
    if !accept.isEmpty, !isAccepted {
      let types = accept.joined(separator: ", ")
      throw ValidationError(path: name, reason: "a blob of \(blob.mimeType), only \(types) allowed")
    }
    // A blob in the legacy form has no size.
    if let size = blob.size, size > maxSize {
      throw ValidationError(path: name, reason: "a blob of \(size) bytes, at most \(maxSize) allowed")
    }
  }

  /// Checks a value of unknown type: it must be an object, not a blob, link or bytes.
  package static func object(_ value: DataValue?, at name: String) throws(ValidationError) {
    guard let value else { return }
    if case .object = value, value.type != Blob.typeName { return }
    throw ValidationError(path: name, reason: "must be an object")
  }

  /// Checks a value that has constraints of its own.
  package static func value<Value: ConstrainedValue>(
    _ value: Value?, at name: String
  ) throws(ValidationError) {
    do { try value?.validate() } catch { throw error.below(name) }
  }

  /// Checks each element of an array whose elements have constraints of their own.
  package static func values<Value: ConstrainedValue>(
    _ values: [Value]?, at name: String
  ) throws(ValidationError) {
    try each(values, at: name) { (element) throws(ValidationError) in try element.validate() }
  }

  /// Checks each element of an array; the checks give no path.
  package static func each<Element>(
    _ elements: [Element]?, at name: String, check: (Element) throws(ValidationError) -> Void
  ) throws(ValidationError) {
    guard let elements else { return }
    for (index, element) in elements.enumerated() {
      do { try check(element) } catch { throw error.below("\(name)[\(index)]") }
    }
  }

  private static func check(
    _ count: Int, at name: String, _ min: Int, _ max: Int, unit: String
  ) throws(ValidationError) {
    if count < min { throw ValidationError(path: name, reason: "\(count) \(unit), at least \(min) required") }
    if count > max { throw ValidationError(path: name, reason: "\(count) \(unit), at most \(max) allowed") }
  }
}
