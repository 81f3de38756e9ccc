// SPDX-License-Identifier: Apache-2.0

/// The fields of an object of the data model.
///
/// Names are equal only if their bytes are. A dictionary of strings would take `é` and `e` with an accent after it for one
/// name, and lose a field.
public struct DataObject: Sendable, Hashable {
  private var fields: [FieldName: DataValue]

  /// Creates an object without fields.
  public init() { fields = [:] }

  /// Creates an object; of fields with the same name, the last one stays.
  public init(_ fields: some Sequence<(String, DataValue)>) {
    self.fields = Dictionary(fields.lazy.map { (FieldName($0), $1) }) { $1 }
  }

  /// The number of fields.
  public var count: Int { fields.count }

  /// Whether there are none.
  public var isEmpty: Bool { fields.isEmpty }

  /// The names, in no order.
  public var names: [String] { fields.keys.map(\.text) }

  /// The values, in no order.
  public var values: some Collection<DataValue> { fields.values }

  /// The field of a name; nil if there is none.
  public subscript(name: String) -> DataValue? {
    get { fields[FieldName(name)] }
    set { fields[FieldName(name)] = newValue }
  }

  /// Removes a field, and returns its value.
  @discardableResult public mutating func removeValue(forKey name: String) -> DataValue? {
    fields.removeValue(forKey: FieldName(name))
  }

  /// The fields of both objects.
  ///
  /// - Parameter combine: the value of a field that both have.
  public func merging(
    _ other: DataObject, uniquingKeysWith combine: (DataValue, DataValue) throws -> DataValue
  ) rethrows -> DataObject {
    var merged = self
    try merged.fields.merge(other.fields, uniquingKeysWith: combine)
    return merged
  }

  /// The fields that meet a condition.
  public func filter(_ isIncluded: (Element) throws -> Bool) rethrows -> DataObject {
    var filtered = DataObject()
    filtered.fields = try fields.filter { try isIncluded((key: $0.key.text, value: $0.value)) }
    return filtered
  }

  mutating func reserveCapacity(_ capacity: Int) { fields.reserveCapacity(capacity) }
}

extension DataObject: Sequence {
  /// A name and its value.
  public typealias Element = (key: String, value: DataValue)

  /// The fields, in no order.
  public struct Iterator: IteratorProtocol {
    fileprivate var fields: Dictionary<FieldName, DataValue>.Iterator

    public mutating func next() -> Element? { fields.next().map { (key: $0.key.text, value: $0.value) } }
  }

  public var underestimatedCount: Int { count }

  public func makeIterator() -> Iterator { Iterator(fields: fields.makeIterator()) }

  /// The fields in the order of the bytes of their names.
  package var sortedByName: [Element] {
    fields.sorted { $0.key < $1.key }.map { (key: $0.key.text, value: $0.value) }
  }
}

extension DataObject: ExpressibleByDictionaryLiteral {
  /// Creates an object; of fields with the same name, the last one stays.
  public init(dictionaryLiteral elements: (String, DataValue)...) { self.init(elements) }
}

extension DataObject: CustomStringConvertible {
  public var description: String { "\(Dictionary(map { ($0.key, $0.value) }) { $1 })" }
}
