// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithClient

@Suite struct ExpiringCacheTests {
  /// A slow and simple reference implementation.
  private struct Reference {
    var capacity: Int
    /// In order of use, the least recent first.
    var entries: [(key: Int, value: Int, expiry: Duration)] = []

    mutating func value(for key: Int, at now: Duration) -> Int? {
      guard let position = entries.firstIndex(where: { $0.key == key }), entries[position].expiry > now else {
        return nil
      }
      let entry = entries.remove(at: position)
      entries.append(entry)
      return entry.value
    }

    mutating func insert(_ value: Int, for key: Int, until expiry: Duration) -> Bool {
      let known = entries.contains { $0.key == key }
      entries.removeAll { $0.key == key }
      if capacity <= 0 { return false }
      let full = !known && entries.count == capacity
      if full { entries.removeFirst() }
      entries.append((key, value, expiry))
      return full
    }

    mutating func remove(_ key: Int) -> Bool {
      defer { entries.removeAll { $0.key == key } }
      return entries.contains { $0.key == key }
    }
  }

  @Test(arguments: [-1, 0, 1, 2, 3, 7, 20]) func doesWhatAPlainListDoes(capacity: Int) {
    var generator = SeededGenerator(seed: UInt64(bitPattern: Int64(capacity)))
    var cache = ExpiringCache<Int, Int>(capacity: capacity)
    var reference = Reference(capacity: capacity)
    var now = Duration.zero
    for step in 0..<20_000 {
      let key = Int.random(in: 0..<12, using: &generator)
      switch Int.random(in: 0..<20, using: &generator) {
      case 0..<8:
        let expiry = now + .seconds(Int.random(in: -1...9, using: &generator))
        let madeRoom = cache.insert(step, for: key, until: expiry)
        let expected = reference.insert(step, for: key, until: expiry)
        #expect(madeRoom == expected)
      case 8..<15:
        let found = cache.value(for: key, at: now)
        let expected = reference.value(for: key, at: now)
        #expect(found == expected)
      case 15..<17:
        let removed = cache.remove(key)
        let expected = reference.remove(key)
        #expect(removed == expected)
      default: now += .seconds(1)
      }
      #expect(cache.count == reference.entries.count)
    }
  }

  @Test func letsTheLongestUnusedMakeRoom() {
    var cache = ExpiringCache<String, Int>(capacity: 2)
    cache.insert(1, for: "a", until: .seconds(9))
    cache.insert(2, for: "b", until: .seconds(9))
    let used = cache.value(for: "a", at: .zero)
    let madeRoom = cache.insert(3, for: "c", until: .seconds(9))
    #expect(used == 1)
    #expect(madeRoom)
    let left = ["a", "b", "c"].map { cache.value(for: $0, at: .zero) }
    #expect(left == [1, nil, 3])
  }

  @Test func endsAtItsTimeAndNotAfterIt() {
    var cache = ExpiringCache<String, Int>(capacity: 2)
    cache.insert(1, for: "a", until: .seconds(9))
    let justBefore = cache.value(for: "a", at: .seconds(9) - .nanoseconds(1))
    let then = cache.value(for: "a", at: .seconds(9))
    #expect(justBefore == 1)
    #expect(then == nil)
  }

  @Test func letsTheOldestGoForTheirBytes() {
    var cache = ExpiringCache<Int, String>(capacity: 100, bytes: 10) { _, text in text.utf8.count }
    for key in 0..<3 { cache.insert("1234", for: key, until: .seconds(9)) }
    #expect((0..<3).map { cache.value(for: $0, at: .zero) != nil } == [false, true, true])
    cache.insert("12", for: 1, until: .seconds(9))
    cache.insert("1234", for: 4, until: .seconds(9))
    #expect((1..<5).map { cache.value(for: $0, at: .zero) } == ["12", "1234", nil, "1234"])
    cache.insert("12345678901", for: 5, until: .seconds(9))
    #expect(cache.value(for: 5, at: .zero) == nil && cache.count == 3)
    cache.insert("1234567890", for: 6, until: .seconds(9))
    #expect(cache.count == 1)
    cache.remove(6)
    cache.insert("1234567890", for: 7, until: .seconds(9))
    #expect(cache.count == 1)
  }
}
