// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension CID {
  /// The version, the codec DAG-CBOR, the hash function SHA-256 and its length, as a CID begins.
  private static let recordPrefix: [UInt8] = [1, 0x71, 0x12, 32]

  /// The CID of a record: version 1, DAG-CBOR, SHA-256, as the data model of the protocol specifies; nil if the value has
  /// no encoding, because it contains a link without a binary form.
  package init?(of record: DataValue) {
    guard let block = record.dagCBOR,
      let cid = try? CID(bytes: Self.recordPrefix + SHA256.hash(of: block))
    else { return nil }
    self = cid
  }

  /// The version, the codec for raw bytes, the hash function SHA-256 and its length.
  private static let filePrefix: [UInt8] = [1, 0x55, 0x12, 32]

  /// The CID of a file: version 1, raw bytes, SHA-256, as the data model of the protocol specifies.
  package init?(ofFile bytes: [UInt8]) {
    guard let cid = try? CID(bytes: Self.filePrefix + SHA256.hash(of: bytes)) else { return nil }
    self = cid
  }
}
