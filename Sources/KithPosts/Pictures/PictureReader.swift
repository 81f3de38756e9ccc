// SPDX-License-Identifier: Apache-2.0

/// Reads the parts of a file in their order. Untrusted: nothing is read beyond the end.
struct PictureReader {
  let file: [UInt8]
  private(set) var place: Int

  init(_ file: [UInt8], at place: Int = 0) { (self.file, self.place) = (file, place) }

  var isAtEnd: Bool { place >= file.count }

  mutating func next(_ count: Int) throws(PictureError) -> ArraySlice<UInt8> {
    guard count >= 0, count <= file.count - place else { throw PictureError(.damaged) }
    defer { place += count }
    return file[place..<place + count]
  }

  mutating func number(_ count: Int, isLittle: Bool = false) throws(PictureError) -> Int {
    let bytes = try next(count)
    return isLittle ? bytes.littleEndian : bytes.bigEndian
  }
}

extension Collection<UInt8> {
  /// The number that they are, of at most seven bytes, the greatest byte first.
  var bigEndian: Int { reduce(0) { $0 << 8 | Int($1) } }

  /// The number that they are, of at most seven bytes, the smallest byte first.
  var littleEndian: Int { Array(self).reversed().reduce(0) { $0 << 8 | Int($1) } }

  func starts(with text: StaticString) -> Bool {
    starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

extension [UInt8] {
  /// A number of four bytes, the greatest first.
  init(bigEndian number: Int) { self = (0..<4).reversed().map { UInt8(number >> (8 * $0) & 0xFF) } }

  /// A number of four bytes, the smallest first.
  init(littleEndian number: Int) { self = (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }
}
