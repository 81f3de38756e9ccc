// SPDX-License-Identifier: Apache-2.0

extension DataValue: ExpressibleByNilLiteral {
  public init(nilLiteral: ()) { self = .null }
}

extension DataValue: ExpressibleByBooleanLiteral {
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension DataValue: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension DataValue: ExpressibleByStringLiteral {
  public init(stringLiteral value: String) { self = .string(value) }
}

extension DataValue: ExpressibleByArrayLiteral {
  public init(arrayLiteral elements: DataValue...) { self = .array(elements) }
}

extension DataValue: ExpressibleByDictionaryLiteral {
  /// Creates an object; if a name occurs more than once, the last field wins.
  public init(dictionaryLiteral elements: (String, DataValue)...) {
    self = .object(DataObject(elements))
  }
}
