// SPDX-License-Identifier: Apache-2.0

/// A bounded LRU map whose entries each have their own expiry.
///
/// A plain value: the owner provides the lock and the clock. Every operation is O(1). Entries are stored in
/// one array and linked from the most to the least recently used.
package struct ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    var key: Key
    var value: Value
    var expiry: Duration
    var newer: Int
    var older: Int
  }

  /// Marks the end of the list.
  private static var none: Int { -1 }

  /// The maximum number of entries.
  package let capacity: Int
  private let mostBytes: Int
  /// The approximate size of an entry in bytes; nil if entries are alike, so their number is limit enough.
  private let size: (@Sendable (Key, Value) -> Int)?
  private var bytes = 0
  private var index: [Key: Int] = [:]
  private var entries: [Entry] = []
  private var newest = -1
  private var oldest = -1

  /// Creates an empty cache; a capacity below one keeps nothing.
  package init(capacity: Int) { self.init(capacity: capacity, bytes: .max, size: nil) }

  /// Creates an empty cache that is also limited in bytes; an entry larger than the limit is not kept.
  ///
  /// - Parameter size: The approximate size of an entry in bytes; the same each time.
  package init(capacity: Int, bytes: Int, size: (@Sendable (Key, Value) -> Int)?) {
    self.capacity = capacity
    mostBytes = bytes
    self.size = size
  }

  /// The number of entries, including expired ones.
  package var count: Int { entries.count }

  /// Returns the value, unless it is missing or has expired; marks it as used.
  package mutating func value(for key: Key, at now: Duration) -> Value? {
    guard let position = index[key], entries[position].expiry > now else { return nil }
    moveToFront(position)
    return entries[position].value
  }

  /// Stores a value until a time. Returns true if another entry was evicted for it.
  @discardableResult
  package mutating func insert(_ value: Value, for key: Key, until expiry: Duration) -> Bool {
    let size = size?(key, value) ?? 0
    if let position = index[key] {
      guard size == 0 else {
        removeEntry(at: position)
        return insert(value, for: key, until: expiry)
      }
      entries[position].value = value
      entries[position].expiry = expiry
      moveToFront(position)
      return false
    }
    guard capacity > 0, size <= mostBytes else { return false }
    let full = entries.count >= capacity || bytes > mostBytes - size
    while !entries.isEmpty, entries.count >= capacity || bytes > mostBytes - size { removeEntry(at: oldest) }
    bytes += size
    index[key] = entries.count
    entries.append(Entry(key: key, value: value, expiry: expiry, newer: Self.none, older: Self.none))
    linkAsNewest(entries.count - 1)
    return full
  }

  /// Removes one entry. Returns true if there was one.
  @discardableResult
  package mutating func remove(_ key: Key) -> Bool {
    guard let position = index[key] else { return false }
    removeEntry(at: position)
    return true
  }

  private mutating func moveToFront(_ position: Int) {
    guard position != newest else { return }
    unlink(position)
    linkAsNewest(position)
  }

  private mutating func linkAsNewest(_ position: Int) {
    entries[position].newer = Self.none
    entries[position].older = newest
    if newest != Self.none { entries[newest].newer = position } else { oldest = position }
    newest = position
  }

  private mutating func unlink(_ position: Int) {
    let (newer, older) = (entries[position].newer, entries[position].older)
    if newer != Self.none { entries[newer].older = older } else { newest = older }
    if older != Self.none { entries[older].newer = newer } else { oldest = newer }
  }

  /// Unlinks an entry and moves the last one of the array into its place, which leaves no hole.
  private mutating func removeEntry(at position: Int) {
    unlink(position)
    if let size { bytes -= size(entries[position].key, entries[position].value) }
    index[entries[position].key] = nil
    let last = entries.count - 1
    if position != last {
      let moved = entries[last]
      entries[position] = moved
      index[moved.key] = position
      if moved.newer != Self.none { entries[moved.newer].older = position } else { newest = position }
      if moved.older != Self.none { entries[moved.older].newer = position } else { oldest = position }
    }
    entries.removeLast()
  }
}
