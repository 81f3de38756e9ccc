// SPDX-License-Identifier: Apache-2.0

/// A field whose absence says nothing, so that a value of another kind makes it nil, and nothing else unreadable.
package struct IfReadable<Value: Decodable>: Decodable {
  /// The value; nil if it cannot be read.
  package let value: Value?

  package init(from decoder: any Decoder) throws { value = try? Value(from: decoder) }
}

extension IfReadable: Sendable where Value: Sendable {}
