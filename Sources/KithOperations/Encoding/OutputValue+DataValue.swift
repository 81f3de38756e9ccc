// SPDX-License-Identifier: Apache-2.0

package import KithCore

#if canImport(FoundationEssentials)
  internal import struct FoundationEssentials.Data
#else
  internal import struct Foundation.Data
#endif

extension OutputValue {
  /// The JSON of a data model value, with sorted keys.
  package init(_ value: DataValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .integer(let number): self = .number(String(number))
    case .string(let text): self = .string(text)
    case .bytes(let bytes):
      let text = Data(bytes).base64EncodedString().prefix { $0 != "=" }
      self = .object([OutputField("$bytes", .string(String(text)))])
    case .link(let cid): self = .object([OutputField("$link", .string(cid.description))])
    case .array(let items): self = .array(items.map(OutputValue.init))
    case .object(let fields):
      self = .object(fields.sortedByName.map { OutputField($0.key, OutputValue($0.value)) })
    }
  }
}
