// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The key of a record in a ``SlabCache``.
protocol SlabKey: Equatable, Sendable {
  /// Seeded per process, so crafted keys cannot degrade lookups.
  var slabHash: UInt32 { get }
}

extension DID: SlabKey {
  var slabHash: UInt32 { UInt32(truncatingIfNeeded: hashValue) }
}

/// An entry of a ``SlabCache``.
protocol SlabRecord: Sendable {
  associatedtype Key: SlabKey
  var link: SlabLink { get set }
  /// Whether this is the record for a key.
  func has(_ key: Key) -> Bool
}

/// The part of a record that belongs to the cache: its hash, and its place in the LRU list.
struct SlabLink: Sendable {
  /// Marks the ends of the list; no record has this position.
  static var none: UInt32 { .max }

  let hash: UInt32
  var newer = SlabLink.none
  var older = SlabLink.none
}

/// An LRU cache of fixed-size records: every operation is O(1), and a record costs its own size plus 11 to
/// 21 bytes for the index.
///
/// A plain value with one owner. Records are stored densely: removing one moves the last one into its
/// place.
struct SlabCache<Record: SlabRecord>: ~Copyable, Sendable {
  /// The upper limit for the number of records.
  static var mostRecords: Int { Int(SlabLink.none) - 1 }

  private var slab = Slab<Record>()
  private var index = SlabIndex()
  private var newest = SlabLink.none
  private var oldestLink = SlabLink.none

  var count: Int { slab.count }

  /// The position of the least recently used record.
  var oldest: Int? { oldestLink == SlabLink.none ? nil : Int(oldestLink) }

  /// The position of a key's record, valid until the next removal.
  @inline(__always)
  func position(of key: Record.Key) -> Int? {
    index.position(of: key, in: slab)
  }

  subscript(position: Int) -> Record {
    _read { yield slab[position] }
    _modify { yield &slab[position] }
  }

  /// Adds a record for a new key as the most recently used; returns its position.
  @discardableResult
  mutating func insert(_ record: consuming Record) -> Int {
    let position = slab.count
    index.insert(position, hash: record.link.hash)
    slab.append(record)
    linkAsNewest(position)
    return position
  }

  /// Marks a record as the most recently used.
  @inline(__always)
  mutating func touch(_ position: Int) {
    guard position != Int(newest) else { return }
    unlink(position)
    linkAsNewest(position)
  }

  /// Removes a record. If it was not the last one, the last one moves to its position, and that record's
  /// old position is returned.
  @discardableResult
  mutating func remove(at position: Int) -> Int? {
    unlink(position)
    index.remove(position, hash: slab[position].link.hash)
    let last = slab.count - 1
    slab.removeMovingLast(to: position)
    if position == last { return nil }
    let link = slab[position].link
    index.move(last, to: position, hash: link.hash)
    let here = UInt32(position)
    if link.newer != SlabLink.none { slab[Int(link.newer)].link.older = here } else { newest = here }
    if link.older != SlabLink.none { slab[Int(link.older)].link.newer = here } else { oldestLink = here }
    return last
  }

  private mutating func linkAsNewest(_ position: Int) {
    let here = UInt32(position)
    slab[position].link.newer = SlabLink.none
    slab[position].link.older = newest
    if newest != SlabLink.none { slab[Int(newest)].link.newer = here } else { oldestLink = here }
    newest = here
  }

  private mutating func unlink(_ position: Int) {
    let link = slab[position].link
    if link.newer != SlabLink.none {
      slab[Int(link.newer)].link.older = link.older
    } else {
      newest = link.older
    }
    if link.older != SlabLink.none {
      slab[Int(link.older)].link.newer = link.newer
    } else {
      oldestLink = link.newer
    }
  }
}
