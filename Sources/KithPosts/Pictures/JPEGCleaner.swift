// SPDX-License-Identifier: Apache-2.0

/// JPEG (ITU-T T.81): segments, each with a marker; after a start of scan, the data of the scan.
///
/// Only segments that a decoder needs are kept, each of the length that its content has.
struct JPEGCleaner {
  private var reader: PictureReader
  private var result = CleanPicture(.jpeg)
  /// The segments of the application that are kept, which come once.
  private var seen: Set<UInt8> = []
  private var hasScan = false
  /// The parts of the colour profile by their number, and where the first one was.
  private var profile: [Int: ArraySlice<UInt8>] = [:]
  private var profileCount = 0
  private var profilePlace = 0

  init(_ file: [UInt8]) { reader = PictureReader(file) }

  consuming func clean() throws(PictureError) -> CleanPicture {
    result.bytes += try reader.next(2)
    while !result.endsEarly {
      guard try reader.number(1) == 0xFF else { throw PictureError(.damaged) }
      var marker = try reader.number(1)
      while marker == 0xFF { marker = try reader.number(1) }
      switch marker {
      case 0xD9:
        // Phones append further pictures and videos.
        if !reader.isAtEnd { result.removed.insert(.other) }
        return try finished()
      // Outside a scan they mean nothing.
      case 0xD0...0xD7, 0x01: result.removed.insert(.other)
      case 0x02...0xBF, 0xD8, 0x00: throw PictureError(.damaged)
      default: try segment(UInt8(marker))
      }
    }
    return try finished()
  }

  private mutating func finished() throws(PictureError) -> CleanPicture {
    guard hasScan else { throw PictureError(.damaged) }
    result.bytes += [0xFF, 0xD9]
    try insertProfile()
    return result
  }

  private mutating func segment(_ marker: UInt8) throws(PictureError) {
    let length = try reader.number(2)
    let content = try reader.next(length - 2)
    switch marker {
    case 0xE0...0xEF, 0xFE: application(marker, content)
    // Tables of quantization and of Huffman codes, conditions of arithmetic codes, an interval of restarts, a number of lines.
    case 0xDB: try keep(marker, content, Self.quantizationLength)
    case 0xC4: try keep(marker, content, Self.huffmanLength)
    case 0xCC: try keep(marker, content) { _ in min(content.count, 64) & ~1 }
    case 0xDD, 0xDC: try keep(marker, content) { _ in 2 }
    case 0xDA:
      try keep(marker, content) { 4 + 2 * Int($0.first ?? 0) }
      hasScan = true
      try scan()
    // Frames that apps decode: baseline, extended and progressive ones, of Huffman codes or arithmetic ones.
    case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: try frame(marker, content)
    case 0xC3, 0xC5...0xC7, 0xCB, 0xCD...0xCF:
      try readSize(content)
      throw PictureError(result.hasTooManyPixels ? .tooManyPixels : .otherType)
    default: result.removed.insert(.other)
    }
  }

  private mutating func frame(_ marker: UInt8, _ content: ArraySlice<UInt8>) throws(PictureError) {
    // There is one; the size of another one could differ from what was checked.
    guard result.width == 0 else { throw PictureError(.damaged) }
    try readSize(content)
    try keep(marker, content) { 6 + 3 * Int($0[$0.startIndex + 5]) }
  }

  private mutating func readSize(_ content: ArraySlice<UInt8>) throws(PictureError) {
    guard content.count >= 6 else { throw PictureError(.damaged) }
    let size = content.dropFirst()
    (result.height, result.width) = (size.prefix(2).bigEndian, size.dropFirst(2).prefix(2).bigEndian)
  }

  private mutating func application(_ marker: UInt8, _ content: ArraySlice<UInt8>) {
    switch marker {
    case 0xE0 where content.starts(with: "JFIF\0") && content.count >= 14:
      // Version, unit and density; a small copy may follow.
      if content.count > 14 { result.removed.insert(.thumbnail) }
      keepOnce(marker, content.prefix(12) + [0, 0])
    case 0xE0 where content.starts(with: "JFXX\0"): result.removed.insert(.thumbnail)
    case 0xE1 where content.starts(with: "Exif\0"): result.remove(exif: content.dropFirst(6))
    case 0xE1 where content.starts(with: "http://ns.adobe.com/"): result.removed.insert(.xmp)
    case 0xE2 where content.starts(with: "ICC_PROFILE\0") && content.count > 14:
      let numbers = content.dropFirst(12).prefix(2).map(Int.init)
      if profile.isEmpty { (profilePlace, profileCount) = (result.bytes.count, numbers[1]) }
      profile[numbers[0]] = content.dropFirst(14)
    case 0xED: result.removed.insert(.iptc)
    case 0xEE where content.starts(with: "Adobe") && content.count >= 12:
      // How its colours are coded is in the twelfth byte; version and flags are always the same.
      if content.count > 12 { result.removed.insert(.other) }
      keepOnce(marker, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, content[content.startIndex + 11]])
    case 0xFE: result.removed.insert(.text)
    default: result.removed.insert(.other)
    }
  }

  private mutating func keepOnce(_ marker: UInt8, _ content: some Collection<UInt8>) {
    if seen.insert(marker).inserted {
      result.bytes += Self.segment(marker, content)
    } else {
      result.removed.insert(.other)
    }
  }

  /// Keeps as much of a segment as belongs to it.
  private mutating func keep(
    _ marker: UInt8, _ content: ArraySlice<UInt8>,
    _ length: (ArraySlice<UInt8>) throws(PictureError) -> Int
  ) throws(PictureError) {
    let length = try length(content)
    guard length <= content.count else { throw PictureError(.damaged) }
    if length < content.count { result.removed.insert(.other) }
    result.bytes += Self.segment(marker, content.prefix(length))
  }

  /// The length of tables for quantization: a number and 64 values of one or two bytes.
  private static func quantizationLength(_ content: ArraySlice<UInt8>) throws(PictureError) -> Int {
    var end = content.startIndex
    while end < content.endIndex, case let next = end + (content[end] & 0xF0 == 0 ? 65 : 129),
      next <= content.endIndex
    { end = next }
    guard end > content.startIndex else { throw PictureError(.damaged) }
    return end - content.startIndex
  }

  /// The length of tables of Huffman codes: a number, how many codes each length has, and their values.
  private static func huffmanLength(_ content: ArraySlice<UInt8>) throws(PictureError) -> Int {
    var end = content.startIndex
    while content.endIndex - end >= 17 {
      let next = end + 17 + content[end + 1..<end + 17].reduce(0) { $0 + Int($1) }
      guard next <= content.endIndex else { break }
      end = next
    }
    guard end > content.startIndex else { throw PictureError(.damaged) }
    return end - content.startIndex
  }

  private static func segment(_ marker: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  /// Copies the data of a scan up to the next marker. Some cameras leave out the last marker; apps show such pictures.
  private mutating func scan() throws(PictureError) {
    let rest = reader.file[reader.place...]
    guard rest.count > 1 else { throw PictureError(.damaged) }
    var end = rest.startIndex
    while end < rest.endIndex - 1 {
      if rest[end] == 0xFF, rest[end + 1] != 0, !(0xD0...0xD7).contains(rest[end + 1]) {
        result.bytes += rest[..<end]
        reader = PictureReader(reader.file, at: end)
        return
      }
      end += 1
    }
    result.bytes += rest.last == 0xFF ? rest.dropLast() : rest
    result.endsEarly = true
  }

  // MARK: Colour profile

  /// The most bytes of a profile in a segment.
  private static let mostProfileBytes = 65_519

  private mutating func insertProfile() throws(PictureError) {
    guard !profile.isEmpty else { return }
    let parts = (1...max(profileCount, 1)).compactMap { profile[$0] }
    guard parts.count == profileCount, profile.count == profileCount else {
      result.removed.insert(.other)
      return
    }
    guard let clean = result.clean(profile: parts.flatMap(\.self)) else { return }
    let pieces = stride(from: 0, to: clean.count, by: Self.mostProfileBytes).map {
      clean[$0..<min(clean.count, $0 + Self.mostProfileBytes)]
    }
    var segments: [UInt8] = []
    for (place, piece) in pieces.enumerated() {
      segments += Self.segment(
        0xE2, Array("ICC_PROFILE\0".utf8) + [UInt8(place + 1), UInt8(pieces.count)] + piece)
    }
    result.bytes.insert(contentsOf: segments, at: profilePlace)
  }
}
