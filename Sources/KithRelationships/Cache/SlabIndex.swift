// SPDX-License-Identifier: Apache-2.0

/// Finds positions in a slab by hash: open addressing with linear probing, eight bytes per slot.
///
/// Stores hashes, not keys: a lookup reads the slab, which is rarely in the CPU cache, only if the hashes
/// match. At most three quarters of the slots are used; removal closes the gap, so there are no tombstones.
struct SlabIndex: Sendable {
  private struct Slot: Sendable {
    /// A position plus one; zero means free.
    var entry: UInt32 = 0
    var hash: UInt32 = 0
  }

  private var slots: ContiguousArray<Slot> = []
  private var count = 0
  private var mask: Int { slots.count - 1 }

  /// The position of a key's record, or nil.
  @inline(__always)
  func position<Record: SlabRecord>(of key: Record.Key, in slab: borrowing Slab<Record>) -> Int? {
    guard count > 0 else { return nil }
    let hash = key.slabHash
    var slot = Int(hash) & mask
    while slots[slot].entry != 0 {
      let position = Int(slots[slot].entry) - 1
      if slots[slot].hash == hash, slab[position].has(key) { return position }
      slot = (slot + 1) & mask
    }
    return nil
  }

  /// Adds a position of the slab; its record may be added later.
  mutating func insert(_ position: Int, hash: UInt32) {
    if (count + 1) * 4 > slots.count * 3 { grow() }
    place(Slot(entry: UInt32(position + 1), hash: hash))
    count += 1
  }

  /// Removes a position, which must be present.
  mutating func remove(_ position: Int, hash: UInt32) {
    var gap = slot(of: position, hash: hash)
    var slot = (gap + 1) & mask
    while slots[slot].entry != 0 {
      let home = Int(slots[slot].hash) & mask
      // An entry may move into the gap unless its probe sequence starts behind it.
      if (slot - home) & mask >= (slot - gap) & mask {
        slots[gap] = slots[slot]
        gap = slot
      }
      slot = (slot + 1) & mask
    }
    slots[gap] = Slot()
    count -= 1
  }

  /// Updates the position of an entry that moved within the slab; it must be present.
  mutating func move(_ position: Int, to other: Int, hash: UInt32) {
    slots[slot(of: position, hash: hash)].entry = UInt32(other + 1)
  }

  private func slot(of position: Int, hash: UInt32) -> Int {
    var slot = Int(hash) & mask
    while slots[slot].entry != UInt32(position + 1) { slot = (slot + 1) & mask }
    return slot
  }

  private mutating func place(_ new: Slot) {
    var slot = Int(new.hash) & mask
    while slots[slot].entry != 0 { slot = (slot + 1) & mask }
    slots[slot] = new
  }

  private mutating func grow() {
    let old = slots
    slots = ContiguousArray(repeating: Slot(), count: max(16, old.count * 2))
    for slot in old where slot.entry != 0 { place(slot) }
  }
}
