// SPDX-License-Identifier: Apache-2.0

/// One value, or the name of a member, of a document: 16 bytes that locate it.
///
/// The nodes of a document are in one array, in document order: the name of a member, then its value; an
/// array or object, then its contents.
struct JSONNode {
  /// The kinds of nodes.
  enum Kind: UInt32 {
    case null, bool, integer, string, array, object, name
    /// A number that is not a 64-bit integer, which the data model does not have.
    case otherNumber
  }

  /// The offset of its first byte in the document; for strings and names, of the first byte after the quote.
  let offset: UInt32
  /// The length in bytes, after unescaping for strings and names; for arrays and objects, the index of the
  /// node after their contents.
  var extent: UInt32
  /// The containing array or object; ``none`` for the root.
  let parent: UInt32
  /// The kind in the four lowest bits. Above them, for a name, a hash of its text; for other nodes, the
  /// position in the containing array.
  let tag: UInt32

  static let none = UInt32.max

  init(_ kind: Kind, at offset: Int, extent: Int, in parent: UInt32, position: UInt32) {
    self.offset = UInt32(truncatingIfNeeded: offset)
    self.extent = UInt32(truncatingIfNeeded: extent)
    self.parent = parent
    tag = kind.rawValue | position << 4
  }

  init(name: UTF8Bytes, at offset: Int, in parent: UInt32) {
    self.offset = UInt32(truncatingIfNeeded: offset)
    extent = UInt32(truncatingIfNeeded: name.count)
    self.parent = parent
    tag = Self.tag(ofName: name)
  }

  var kind: Kind { Kind(rawValue: tag & 15) ?? .null }
  /// The index in the containing array.
  var position: Int { Int(tag >> 4) }
  var isContainer: Bool { tag & 15 == Kind.array.rawValue || tag & 15 == Kind.object.rawValue }

  /// One of 64 bits, chosen by the hash of the name.
  var mark: UInt64 { Self.mark(ofTag: tag) }

  @inline(__always)
  static func mark(ofTag tag: UInt32) -> UInt64 { 1 << UInt64(tag >> 26) }

  /// All bytes of a name shorter than eight bytes, some of them twice.
  @inline(__always)
  private static func letters(ofShortName name: UTF8Bytes) -> UInt64 {
    let count = name.count
    if count >= 4 {
      let raw = UnsafeRawBufferPointer(name)
      let first = raw.loadUnaligned(as: UInt32.self)
      return UInt64(first) << 32
        | UInt64(raw.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self))
    }
    if count == 0 { return 0 }
    return UInt64(name[0]) << 16 | UInt64(name[count >> 1]) << 8 | UInt64(name[count - 1])
  }

  /// Returns the tag of a name, which distinguishes it from most others without comparing bytes.
  @inline(__always)
  static func tag(ofName name: UTF8Bytes) -> UInt32 {
    var mark = UInt64(truncatingIfNeeded: name.count) &* 0x9E37_79B9_7F4A_7C15
    if name.count >= 8 {
      mark = (mark ^ name.word(at: 0)) &* 0x9E37_79B9_7F4A_7C15
      mark = (mark ^ mark >> 32 ^ name.word(at: name.count - 8)) &* 0x9E37_79B9_7F4A_7C15
    } else {
      mark = (mark ^ letters(ofShortName: name)) &* 0x9E37_79B9_7F4A_7C15
    }
    return UInt32(truncatingIfNeeded: mark >> 32) & ~15 | Kind.name.rawValue
  }
}

extension UTF8Bytes {
  /// Returns eight bytes from an index on, the first one lowest. There must be eight.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    UInt64(
      littleEndian: UnsafeRawBufferPointer(self).loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  /// Returns whether two texts of any length have the same bytes.
  @inline(__always)
  func isSame(as other: UTF8Bytes) -> Bool {
    guard count == other.count else { return false }
    var index = 0
    while index + 8 <= count {
      guard word(at: index) == other.word(at: index) else { return false }
      index += 8
    }
    while index < count {
      guard self[index] == other[index] else { return false }
      index += 1
    }
    return true
  }
}
