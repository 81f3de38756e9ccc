// SPDX-License-Identifier: Apache-2.0

import KithCore

@testable import KithRelationships

/// A slow and simple ``PairCache``: a list from the least to the most recently used answer.
struct SimplePairCache {
  struct Entry {
    let actor: DID
    let target: DID
    let finding: RelationshipFinding
    let expiry: Duration

    func finding(of asker: DID) -> RelationshipFinding? {
      guard asker != actor else { return finding }
      guard case .known(let info) = finding else { return nil }
      return .known(info.fromTheOtherSide)
    }
  }

  let capacity: Int
  let stale: Duration
  var entries: [Entry] = []

  func index(_ one: DID, _ other: DID) -> Int? {
    entries.firstIndex { ($0.actor, $0.target) == (one, other) || ($0.actor, $0.target) == (other, one) }
  }

  func age(_ entry: Entry, at now: Duration) -> PairCache.Age? {
    if now < entry.expiry { return .fresh }
    if case .known = entry.finding, now < entry.expiry + stale { return .stale }
    return nil
  }

  mutating func find(
    _ actor: DID, _ target: DID, at now: Duration
  ) -> (finding: RelationshipFinding?, age: PairCache.Age)? {
    guard let index = index(actor, target), let age = age(entries[index], at: now) else { return nil }
    let entry = entries.remove(at: index)
    entries.append(entry)
    return (entry.finding(of: actor), age)
  }

  mutating func insert(_ entry: Entry) -> (former: RelationshipInfo?, evictions: Int) {
    var former: RelationshipInfo?
    if let index = index(entry.actor, entry.target) {
      let before = entries.remove(at: index)
      if case .known(let old)? = before.finding(of: entry.actor), case .known(let new) = entry.finding,
        differ(old, new)
      {
        former = old
      }
    }
    let evictions = entries.count == capacity ? 1 : 0
    entries.removeFirst(evictions)
    entries.append(entry)
    return (former, evictions)
  }

  private func differ(_ old: RelationshipInfo, _ new: RelationshipInfo) -> Bool {
    func edges(_ info: RelationshipInfo) -> [ATURI?] {
      [
        info.following, info.followedBy, info.blocking, info.blockedBy, info.blockingByList,
        info.blockedByList,
      ]
    }
    guard edges(old) == edges(new) else { return true }
    guard let before = old.muted, let after = new.muted else { return false }
    return before != after
  }

  mutating func remove(_ actor: DID, _ target: DID) -> Bool {
    guard let index = index(actor, target) else { return false }
    entries.remove(at: index)
    return true
  }

  mutating func removeExpired(at now: Duration) -> Int {
    let before = entries.count
    entries = entries.filter { age($0, at: now) != nil }
    return before - entries.count
  }
}
