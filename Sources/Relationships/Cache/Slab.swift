// SPDX-License-Identifier: Apache-2.0

/// An array in pieces of equal size: growing copies nothing, so that the peak of memory is what is kept.
struct Slab<Element: Sendable>: Sendable {
  private static var pieceBits: Int { 10 }
  private static var pieceSize: Int { 1 << pieceBits }

  private var pieces: ContiguousArray<ContiguousArray<Element>> = []
  private(set) var count = 0

  subscript(position: Int) -> Element {
    _read { yield pieces[position >> Self.pieceBits][position & (Self.pieceSize - 1)] }
    _modify { yield &pieces[position >> Self.pieceBits][position & (Self.pieceSize - 1)] }
  }

  mutating func append(_ element: Element) {
    let piece = count >> Self.pieceBits
    if piece == pieces.count {
      pieces.append([])
      pieces[piece].reserveCapacity(Self.pieceSize)
    }
    pieces[piece].append(element)
    count += 1
  }

  /// Takes the last element away, and gives back what memory is no longer near.
  mutating func removeLast() {
    count -= 1
    pieces[count >> Self.pieceBits].removeLast()
    // One empty piece stays, so that adding and removing at its edge does not allocate each time.
    let needed = count >> Self.pieceBits + 1
    if pieces.count > needed + 1 { pieces.removeLast() }
  }
}
