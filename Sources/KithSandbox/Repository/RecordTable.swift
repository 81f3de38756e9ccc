// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The records of one collection of one repository, by ascending key.
struct RecordTable: Sendable {
  struct Entry: Sendable {
    let key: RecordKey
    let record: StoredRecord
  }

  private(set) var entries: [Entry]

  /// - Parameter entries: by ascending key.
  init(_ entries: [Entry]) { self.entries = entries }

  /// A record; setting nil removes it.
  subscript(key: RecordKey) -> StoredRecord? {
    get {
      let place = place(of: key)
      return isThere(key, at: place) ? entries[place].record : nil
    }
    set {
      let place = place(of: key)
      switch (newValue, isThere(key, at: place)) {
      case (let record?, true): entries[place] = Entry(key: key, record: record)
      case (let record?, false): entries.insert(Entry(key: key, record: record), at: place)
      case (nil, true): entries.remove(at: place)
      case (nil, false): break
      }
    }
  }

  /// The number of records before this key.
  func place(of key: RecordKey) -> Int { place(of: key.description) }

  /// The number of records whose key is lower than this text.
  func place(of key: String) -> Int {
    // Nearly every new key is a TID, and therefore the greatest.
    if let last = entries.last, last.key.description < key { return entries.count }
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = low + (high - low) / 2
      if entries[middle].key.description < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func isThere(_ key: RecordKey, at place: Int) -> Bool {
    place < entries.count && entries[place].key == key
  }
}
