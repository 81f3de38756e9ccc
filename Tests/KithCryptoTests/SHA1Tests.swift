// SPDX-License-Identifier: Apache-2.0

import KithCrypto
import Testing

@Suite struct SHA1Tests {
  @Test func theHashIsThatOfThePublishedExample() {
    let hash = SHA1.hash(of: Array("abc".utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    #expect(hash.joined() == "a9993e364706816aba3e25717850c26c9cd0d89d")
  }
}
