// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Whether one account exists, in 40 bytes.
struct ExistenceRecord: SlabRecord {
  let account: DID
  var expiry: CacheInstant
  var link: SlabLink
  var exists: Bool

  func has(_ key: DID) -> Bool { account == key }
}

/// Caches whether accounts exist, with a lifetime; evicts the least recently used.
struct ExistenceCache: ~Copyable, Sendable {
  private let capacity: Int
  private var records = SlabCache<ExistenceRecord>()

  /// Creates an empty cache; a capacity below one disables it.
  init(capacity: Int) { self.capacity = min(capacity, SlabCache<ExistenceRecord>.mostRecords) }

  /// Whether the account exists; nil if unknown.
  mutating func exists(_ account: DID, at now: CacheInstant) -> Bool? {
    guard let position = records.position(of: account), now < records[position].expiry else { return nil }
    records.touch(position)
    return records[position].exists
  }

  mutating func insert(_ exists: Bool, for account: DID, until expiry: CacheInstant) {
    guard capacity > 0 else { return }
    if let position = records.position(of: account) {
      records[position].exists = exists
      records[position].expiry = expiry
      records.touch(position)
      return
    }
    if records.count >= capacity, let oldest = records.oldest { records.remove(at: oldest) }
    let link = SlabLink(hash: account.slabHash)
    records.insert(ExistenceRecord(account: account, expiry: expiry, link: link, exists: exists))
  }

  mutating func remove(_ account: DID) {
    if let position = records.position(of: account) { records.remove(at: position) }
  }

  mutating func removeAll() { records = SlabCache() }

  /// Removes expired entries; linear.
  mutating func removeExpired(at now: CacheInstant) {
    for position in (0..<records.count).reversed() where records[position].expiry <= now {
      records.remove(at: position)
    }
  }
}
