// SPDX-License-Identifier: Apache-2.0

extension Translator {
  /// Returns the constraints of a schema and its default as the words of a doc comment.
  func limits(of schema: Schema) -> String? {
    var words: [String] = []
    switch schema {
    case .boolean(let boolean): words += boolean.defaultValue.map { ["\($0) where absent"] } ?? []
    case .integer(let integer):
      words += range(integer.limits, unit: nil)
      if !integer.choices.isEmpty { words.append("one of \(integer.choices)") }
      words += integer.constant.map { ["always \($0)"] } ?? []
      words += integer.defaultValue.map { ["\($0) where absent"] } ?? []
    case .string(let string):
      words += range(string.graphemes, unit: "graphemes") + range(string.length, unit: "bytes")
      words += string.constant.map { ["always `\($0)`"] } ?? []
      words += string.defaultValue.map { ["`\($0)` where absent"] } ?? []
    case .bytes(let bytes): words += range(bytes.length, unit: "bytes")
    case .array(let array): words += range(array.count, unit: "elements")
    case .blob(let blob):
      if !blob.accept.isEmpty { words.append(blob.accept.map { "`\($0)`" }.joined(separator: ", ")) }
      words += range(Limits(max: blob.maxSize), unit: "bytes")
    case .cidLink, .object, .reference, .union, .unknown: break
    }
    guard let first = words.first else { return nil }
    let text = ([first.prefix(1).uppercased() + first.dropFirst()] + words.dropFirst()).joined(
      separator: "; ")
    return text + "."
  }

  private func range(_ limits: Limits, unit: String?) -> [String] {
    func words(_ number: Int) -> String {
      unit.map { "\(number) \(number == 1 ? String($0.dropLast()) : $0)" } ?? "\(number)"
    }
    return switch (limits.min, limits.max) {
    case (nil, nil): []
    case (let min?, nil): ["at least \(words(min))"]
    case (nil, let max?): ["at most \(words(max))"]
    case (let min?, let max?): ["\(min) to \(words(max))"]
    }
  }
}
