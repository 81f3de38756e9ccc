// SPDX-License-Identifier: Apache-2.0

/// A coding key of any name.
struct LexiconKey: CodingKey {
  static let type = LexiconKey("$type")

  let stringValue: String
  var intValue: Int? { nil }

  init(_ name: String) { stringValue = name }
  init(stringValue: String) { self.init(stringValue) }
  init?(intValue: Int) { nil }
}
