// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct BlobTests {
  private static let ref = "bafkreiccldh766hwcnuxnf2wh6jgzepf2nlu2lvcllt63eww5p6chi4ity"

  private func read(_ json: String) throws -> Blob {
    try JSONCoding.decode(Blob.self, from: Array(json.utf8))
  }

  @Test func readsAndWrites() throws {
    let json = #"{"$type":"blob","mimeType":"image/jpeg","ref":{"$link":"\#(Self.ref)"},"size":10000}"#
    let blob = try read(json)
    #expect(blob == Blob(ref: try CID(parsing: Self.ref), mimeType: "image/jpeg", size: 10_000))
    #expect(String(decoding: try JSONCoding.encode(blob), as: UTF8.self) == json)
  }

  @Test func readsAndWritesTheOldForm() throws {
    let json = #"{"cid":"\#(Self.ref)","mimeType":"image/jpeg"}"#
    let blob = try read(json)
    #expect(blob == Blob(ref: try CID(parsing: Self.ref), mimeType: "image/jpeg", size: nil))
    #expect(String(decoding: try JSONCoding.encode(blob), as: UTF8.self) == json)
  }

  @Test(arguments: [
    "{}", #"{"mimeType":"a/b"}"#, #"{"cid":"\#(ref)"}"#, #"{"cid":"","mimeType":"a/b"}"#,
    #"{"$type":"blob","cid":"\#(ref)","mimeType":"a/b"}"#,
    #"{"$type":"bolb","mimeType":"a/b","ref":{"$link":"\#(ref)"},"size":1}"#,
    #"{"mimeType":"a/b","ref":{"$link":"\#(ref)"},"size":1}"#,
    #"{"$type":"blob","mimeType":"a/b","ref":{"$link":"\#(ref)"},"size":1.5}"#,
    #"{"$type":"blob","mimeType":"a/b","ref":{"$link":"\#(ref)"},"size":-1}"#,
    #"{"$type":"blob","mimeType":null,"ref":{"$link":"\#(ref)"},"size":1}"#,
  ])
  func refusesOtherObjects(json: String) {
    #expect(throws: DecodingError.self) { try read(json) }
  }
}
