// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithCrypto
import TestSupport
import Testing

/// The CIDs of records, as other implementations compute them.
@Suite struct RecordCIDTests {
  @Test("the hash is that of the published examples")
  func examples() {
    let hash = SHA256.hash(of: Array("abc".utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    #expect(hash.joined() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(SHA256.hash(of: []).prefix(4) == [0xe3, 0xb0, 0xc4, 0x42])
  }

  @Test(
    "the CIDs are those of the reference vectors",
    .enabled(if: Vectors.interop.areThere, "KITH_INTEROP names no folder"))
  func referenceVectors() throws {
    let vectors = try JSONCoding.decode(
      [Vector].self, from: Vectors.interop.bytes("data-model/data-model-fixtures.json"))
    #expect(vectors.count >= 3)
    for vector in vectors {
      #expect(CID(of: vector.json)?.description == vector.cid)
    }
  }

  @Test(
    "integers take the shortest form, on both sides of each border",
    arguments: [
      (0, [0x00]), (23, [0x17]), (24, [0x18, 24]), (255, [0x18, 255]), (256, [0x19, 1, 0]),
      (65_536, [0x1a, 0, 1, 0, 0]), (4_294_967_296, [0x1b, 0, 0, 0, 1, 0, 0, 0, 0]), (-1, [0x20]),
      (-25, [0x38, 24]),
      (Int64.min, [0x3b, 0x7f, 255, 255, 255, 255, 255, 255, 255]),
    ] as [(Int64, [UInt8])])
  func integers(number: Int64, bytes: [UInt8]) {
    #expect(DataValue.integer(number).dagCBOR == bytes)
  }

  @Test("keys are sorted by length, then by bytes")
  func keys() {
    let value: DataValue = ["b": 1, "aa": 2, "a": 3]
    #expect(value.dagCBOR == [0xa3, 0x61, 0x61, 3, 0x61, 0x62, 1, 0x62, 0x61, 0x61, 2])
  }

  @Test(
    "names that look the same are two names, whatever their order",
    arguments: [#""\u00e9":"one","e\u0301":"two""#, #""e\u0301":"two","\u00e9":"one""#])
  func sameLooks(fields: String) throws {
    let json = #"{"$type":"com.example.record",\#(fields)}"#
    // As computed by another implementation.
    #expect(
      CID(of: try DataValue.record(json: Array(json.utf8)))?.description
        == "bafyreian3lix577j45dhlwiglgbyjjesk25gf2z2lib3dekq4a256yp6ji")
  }

  private struct Vector: Decodable {
    let json: DataValue
    let cid: String
  }
}
