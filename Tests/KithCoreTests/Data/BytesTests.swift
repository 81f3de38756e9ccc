// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct BytesTests {
  @Test func readsWhatItWritesAtEachLength() throws {
    for count in 0..<70 {
      let bytes = Bytes((0..<count).map { UInt8(truncatingIfNeeded: $0 * 151) })
      let json = try JSONCoding.encode(bytes)
      #expect(!json.contains(UInt8(ascii: "=")))
      #expect(try JSONCoding.decode(Bytes.self, from: json) == bytes)
    }
  }
}
