// SPDX-License-Identifier: Apache-2.0

/// An array in chunks of equal size: growing copies nothing, so peak memory equals what is kept.
///
/// It owns raw memory, which avoids reference counting on every access; positions are still checked.
/// `@unchecked Sendable`: it is not copyable, so the memory has one owner at a time.
struct Slab<Element: Sendable>: ~Copyable, @unchecked Sendable {
  private static var pieceBits: Int { 10 }
  private static var pieceSize: Int { 1 << pieceBits }

  /// Invariant: the first `count` elements are initialized, the others are not.
  private var pieces: ContiguousArray<UnsafeMutablePointer<Element>> = []
  private(set) var count = 0

  init() {}

  deinit {
    for (number, piece) in pieces.enumerated() {
      piece.deinitialize(count: max(0, min(Self.pieceSize, count - number << Self.pieceBits)))
      piece.deallocate()
    }
  }

  private func address(_ position: Int) -> UnsafeMutablePointer<Element> {
    precondition(position >= 0 && position < count, "invariant: links and index point into the slab")
    return pieces[position >> Self.pieceBits] + (position & (Self.pieceSize - 1))
  }

  subscript(position: Int) -> Element {
    _read { yield address(position).pointee }
    _modify { yield &address(position).pointee }
  }

  mutating func append(_ element: consuming Element) {
    if count == pieces.count << Self.pieceBits { pieces.append(.allocate(capacity: Self.pieceSize)) }
    count += 1
    address(count - 1).initialize(to: element)
  }

  /// Removes an element, moves the last one into its place, and frees a chunk that is no longer needed.
  mutating func removeMovingLast(to position: Int) {
    let (hole, last) = (address(position), address(count - 1))
    hole.deinitialize(count: 1)
    if hole != last { hole.moveInitialize(from: last, count: 1) }
    count -= 1
    // Keeps one empty chunk, so that alternating insertions and removals at its edge do not allocate.
    let needed = (count + Self.pieceSize - 1) >> Self.pieceBits
    if pieces.count > needed + 1 { pieces.removeLast().deallocate() }
  }
}
