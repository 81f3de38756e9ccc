// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

/// How many records a search in a ``SlabCache`` looks at.
@Suite struct SlabSearchTests {
  /// Counts how often a search looks at it or at any other.
  private struct CountedRecord: SlabRecord {
    let key: PairKey
    let looks: PosixMutex<Int>
    private var stored: SlabLink

    var link: SlabLink {
      get {
        looks.withLock { $0 += 1 }
        return stored
      }
      set { stored = newValue }
    }

    init(_ key: PairKey, looks: PosixMutex<Int>) {
      self.key = key
      self.looks = looks
      stored = SlabLink(hash: key.slabHash)
    }

    func has(_ key: PairKey) -> Bool { self.key == key }
  }

  /// DIDs that differ in single digits, as an attacker would craft them. Without a hash of all bits and a seed such
  /// rows share their slots, and a search would pass over thousands.
  @Test func searchesStayShortWhateverTheAccounts() throws {
    let looks = PosixMutex(0)
    var cache = SlabCache<CountedRecord>()
    var keys: [PairKey] = []
    for place in 0..<20 {
      for number in 0..<1_000 {
        var digits = Array(repeating: Character("2"), count: 24)
        for (offset, digit) in String(number, radix: 10).enumerated() {
          digits[(place + offset) % 24] =
            ["2", "3", "4", "5", "6", "7", "a", "b", "c", "d"][digit.wholeNumberValue ?? 0]
        }
        let key = PairKey(Accounts.did(0), try DID(parsing: "did:plc:" + String(digits)))
        if cache.position(of: key) == nil {
          cache.insert(CountedRecord(key, looks: looks))
          keys.append(key)
        }
      }
    }
    #expect(cache.count == keys.count)
    #expect(keys.count > 5_000)
    var longest = 0
    for key in keys {
      looks.withLock { $0 = 0 }
      #expect(cache.position(of: key) != nil)
      longest = max(longest, looks.withLock(\.self))
    }
    #expect(longest > 0)
    #expect(longest < 400)
  }
}
