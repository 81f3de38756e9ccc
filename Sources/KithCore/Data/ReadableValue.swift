// SPDX-License-Identifier: Apache-2.0

/// A value of the data model, without what cannot be read: fields that break the data model are left out.
///
/// For what servers and others show: a list is a list, whatever its picture is. What is written back has to be whole.
package struct ReadableValue: Decodable, Sendable, Hashable {
  /// What can be read.
  package let value: DataValue
  /// Whether nothing is left out.
  package let isWhole: Bool

  /// - Throws: `DecodingError` for anything that breaks the data model and is not an object.
  package init(from decoder: any Decoder) throws {
    do {
      (value, isWhole) = (try DataValue(from: decoder), true)
    } catch let error as DecodingError {
      guard let container = try? decoder.container(keyedBy: DataKey.self), !container.contains(.link),
        !container.contains(.bytes)
      else { throw error }
      var fields = DataObject()
      for key in container.allKeys {
        fields[key.stringValue] = (try? container.decode(Self.self, forKey: key))?.value
      }
      (value, isWhole) = (.object(fields), false)
    }
  }
}
