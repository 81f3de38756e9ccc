// SPDX-License-Identifier: Apache-2.0

/// A bounded map whose entries end at a time of their own; the longest unused one makes room.
///
/// A plain value: whoever shares it brings the lock and the clock. Every operation is O(1). Entries stand in one
/// array, linked from the most to the least recently used.
package struct ExpiringCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  private struct Entry: Sendable {
    var key: Key
    var value: Value
    var expiry: Duration
    var newer: Int
    var older: Int
  }

  /// Marks the end of the list; no array has this index.
  private static var none: Int { -1 }

  /// The most entries that are kept.
  package let capacity: Int
  private let mostBytes: Int
  /// About how many bytes an entry takes; nil where entries are alike, and their number bounds them well enough.
  private let size: (@Sendable (Key, Value) -> Int)?
  private var bytes = 0
  private var index: [Key: Int] = [:]
  private var entries: [Entry] = []
  private var newest = -1
  private var oldest = -1

  /// Makes an empty cache; a capacity below one keeps nothing.
  package init(capacity: Int) { self.init(capacity: capacity, bytes: .max, size: nil) }

  /// Makes an empty cache that is bounded in bytes too; an entry larger than all of them is not kept.
  ///
  /// - Parameter size: about how many bytes an entry takes; the same each time.
  package init(capacity: Int, bytes: Int, size: (@Sendable (Key, Value) -> Int)?) {
    self.capacity = capacity
    mostBytes = bytes
    self.size = size
  }

  /// Entries kept, expired ones included.
  package var count: Int { entries.count }

  /// The value, unless it is missing or has ended; marks it as used.
  package mutating func value(for key: Key, at now: Duration) -> Value? {
    guard let position = index[key], entries[position].expiry > now else { return nil }
    moveToFront(position)
    return entries[position].value
  }

  /// Keeps a value until a time; true when another entry had to go for it.
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

  /// Forgets one entry; true when there was one.
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

  /// Unlinks an entry and moves the last one of the array into its place, so that no hole is left.
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
