// SPDX-License-Identifier: Apache-2.0

/// Finds positions in a slab by hash: open addressing with linear probing, four bytes a slot.
///
/// It keeps no keys: whoever asks compares them in the slab. At most three quarters of the slots are taken;
/// removal closes the gap, so that no search ever passes over graves.
struct SlabIndex: Sendable {
  /// A position plus one; zero is free.
  private var slots: ContiguousArray<UInt32> = []
  private var count = 0
  private var mask: Int { slots.count - 1 }

  /// Where a key's record lies, or nil.
  @inline(__always)
  func position<Record: SlabRecord>(
    of key: Record.Key, hash: UInt32, in slab: borrowing Slab<Record>
  ) -> Int? {
    guard !slots.isEmpty else { return nil }
    var slot = Int(hash) & mask
    while slots[slot] != 0 {
      let position = Int(slots[slot]) - 1
      if slab[position].link.hash == hash, slab[position].has(key) { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a position of the slab, where its record may be yet to come.
  mutating func insert<Record: SlabRecord>(_ position: Int, hash: UInt32, in slab: borrowing Slab<Record>) {
    if (count + 1) * 4 > slots.count * 3 { grow(in: slab) }
    place(position, hash: hash)
    count += 1
  }

  /// Takes a position away; it has to be there.
  mutating func remove<Record: SlabRecord>(_ position: Int, from slab: borrowing Slab<Record>) {
    var gap = slot(of: position, hash: slab[position].link.hash)
    var slot = (gap + 1) & mask
    while slots[slot] != 0 {
      let home = Int(slab[Int(slots[slot]) - 1].link.hash) & mask
      // An entry may move into the gap unless its search starts behind it.
      if (slot - home) & mask >= (slot - gap) & mask {
        slots[gap] = slots[slot]
        gap = slot
      }
      slot = (slot + 1) & mask
    }
    slots[gap] = 0
    count -= 1
  }

  /// Follows an entry that moved within the slab; it has to be there.
  mutating func move(_ position: Int, to other: Int, hash: UInt32) {
    slots[slot(of: position, hash: hash)] = UInt32(other + 1)
  }

  private func slot(of position: Int, hash: UInt32) -> Int {
    var slot = Int(hash) & mask
    while slots[slot] != UInt32(position + 1) { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func place(_ position: Int, hash: UInt32) {
    var slot = Int(hash) & mask
    while slots[slot] != 0 { slot = (slot + 1) & mask }
    slots[slot] = UInt32(position + 1)
  }

  private mutating func grow<Record: SlabRecord>(in slab: borrowing Slab<Record>) {
    let old = slots
    slots = ContiguousArray(repeating: 0, count: max(16, old.count * 2))
    for entry in old where entry != 0 { place(Int(entry) - 1, hash: slab[Int(entry) - 1].link.hash) }
  }
}
