// SPDX-License-Identifier: Apache-2.0

/// A JSON document that keeps the order of its members, which is the order of generated fields.
indirect enum JSONValue: Hashable, Sendable {
  case null
  case boolean(Bool)
  case integer(Int)
  /// A number that does not fit in `Int`, as written; the data model has none, so no schema accepts it.
  case otherNumber(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  struct Member: Hashable, Sendable {
    let name: String
    let value: JSONValue
  }
}
