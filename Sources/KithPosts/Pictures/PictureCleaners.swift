// SPDX-License-Identifier: Apache-2.0

/// Reads the parts of a file in their order. Untrusted: nothing is read beyond the end.
private struct FileReader {
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
    return isLittle
      ? bytes.reversed().reduce(0) { $0 << 8 | Int($1) } : bytes.reduce(0) { $0 << 8 | Int($1) }
  }
}

extension Collection<UInt8> {
  fileprivate func starts(with text: StaticString) -> Bool {
    starts(with: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }
}

/// JPEG (ITU-T T.81): segments, each with a marker; after a start of scan, the data of the scan.
struct JPEGCleaner {
  private var reader: FileReader
  private var result = CleanPicture(.jpeg)

  init(_ file: [UInt8]) { reader = FileReader(file) }

  consuming func clean() throws(PictureError) -> CleanPicture {
    result.bytes += try reader.next(2)
    while true {
      guard try reader.number(1) == 0xFF else { throw PictureError(.damaged) }
      var marker = try reader.number(1)
      while marker == 0xFF { marker = try reader.number(1) }
      switch marker {
      case 0xD9:
        result.bytes += [0xFF, 0xD9]
        // Phones append further pictures and videos.
        if !reader.isAtEnd { result.removed.insert(.other) }
        return result
      case 0xD0...0xD7, 0x01: result.bytes += [0xFF, UInt8(marker)]
      case 0x02...0xBF, 0xD8, 0x00: throw PictureError(.damaged)
      default: try segment(UInt8(marker))
      }
    }
  }

  private mutating func segment(_ marker: UInt8) throws(PictureError) {
    let length = try reader.number(2)
    let content = try reader.next(length - 2)
    switch marker {
    case 0xE0...0xEF, 0xFE: try application(marker, content)
    case 0xDA:
      keep(marker, content)
      try scan()
    default:
      // The start of a frame, but not a table of Huffman codes, an extension or one of arithmetic codes.
      if (0xC0...0xCF).contains(marker), ![0xC4, 0xC8, 0xCC].contains(marker), content.count >= 5 {
        let size = content.dropFirst().prefix(4).map(Int.init)
        (result.height, result.width) = (size[0] << 8 | size[1], size[2] << 8 | size[3])
      }
      keep(marker, content)
    }
  }

  private mutating func application(_ marker: UInt8, _ content: ArraySlice<UInt8>) throws(PictureError) {
    switch marker {
    case 0xE0 where content.starts(with: "JFIF\0") && content.count >= 14:
      // Version, unit and density; a small copy may follow.
      keep(marker, content.prefix(12) + [0, 0])
      if content.count > 14 { result.removed.insert(.thumbnail) }
    case 0xE0 where content.starts(with: "JFXX\0"): result.removed.insert(.thumbnail)
    case 0xE1 where content.starts(with: "Exif\0"): result.remove(exif: content.dropFirst(6))
    case 0xE1 where content.starts(with: "http://ns.adobe.com/"): result.removed.insert(.xmp)
    case 0xE2 where content.starts(with: "ICC_PROFILE\0"): keep(marker, content)
    case 0xED: result.removed.insert(.iptc)
    // How its colours are coded.
    case 0xEE where content.starts(with: "Adobe"): keep(marker, content)
    case 0xFE: result.removed.insert(.text)
    default: result.removed.insert(.other)
    }
  }

  private mutating func keep(_ marker: UInt8, _ content: ArraySlice<UInt8>) {
    let length = content.count + 2
    result.bytes += [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)]
    result.bytes += content
  }

  /// Copies the data of a scan up to the next marker.
  private mutating func scan() throws(PictureError) {
    let file = reader.file
    let start = reader.place
    var end = start
    while end < file.count - 1 {
      if file[end] == 0xFF, file[end + 1] != 0, !(0xD0...0xD7).contains(file[end + 1]) {
        result.bytes += try reader.next(end - start)
        return
      }
      end += 1
    }
    throw PictureError(.damaged)
  }
}

/// PNG (W3C): chunks, each with a length, a type, and a checksum.
struct PNGCleaner {
  /// The chunks that pixels and colours need; animations, too.
  private static let kept: Set<String> = [
    "IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "sBIT", "cICP", "mDCV", "cLLI",
    "bKGD",
    "pHYs", "acTL", "fcTL", "fdAT",
  ]

  private var reader: FileReader
  private var result = CleanPicture(.png)

  init(_ file: [UInt8]) { reader = FileReader(file) }

  consuming func clean() throws(PictureError) -> CleanPicture {
    result.bytes += try reader.next(8)
    while true {
      let start = reader.place
      let length = try reader.number(4)
      let type = String(decoding: try reader.next(4), as: UTF8.self)
      let content = try reader.next(length)
      _ = try reader.next(4)
      if start == 8 {
        guard type == "IHDR", length == 13 else { throw PictureError(.damaged) }
        let size = content.prefix(8).map(Int.init)
        result.width = size[0..<4].reduce(0) { $0 << 8 | $1 }
        result.height = size[4..<8].reduce(0) { $0 << 8 | $1 }
      }
      if Self.kept.contains(type) {
        result.bytes += reader.file[start..<reader.place]
      } else {
        remove(type, content)
      }
      if type == "IEND" {
        if !reader.isAtEnd { result.removed.insert(.other) }
        return result
      }
    }
  }

  private mutating func remove(_ type: String, _ content: ArraySlice<UInt8>) {
    switch type {
    case "eXIf": result.remove(exif: content)
    case "iTXt" where content.starts(with: "XML:com.adobe.xmp"): result.removed.insert(.xmp)
    case "zTXt" where content.starts(with: "Raw profile type"),
      "tEXt" where content.starts(with: "Raw profile type"):
      result.removed.formUnion([.exif, .text])
    case "tEXt", "zTXt", "iTXt": result.removed.insert(.text)
    case "tIME": result.removed.insert(.time)
    default: result.removed.insert(.other)
    }
  }
}

/// WebP (RFC 9649): RIFF chunks, each with a type and a length.
struct WebPCleaner {
  private static let kept: Set<String> = ["VP8 ", "VP8L", "ALPH", "ANIM", "ICCP"]

  private var reader: FileReader
  private var result = CleanPicture(.webp)

  init(_ file: [UInt8]) { reader = FileReader(file) }

  consuming func clean() throws(PictureError) -> CleanPicture {
    _ = try reader.next(4)
    let length = try reader.number(4, isLittle: true)
    let end = 8 + length
    guard length >= 12, end <= reader.file.count else { throw PictureError(.damaged) }
    if end < reader.file.count { result.removed.insert(.other) }
    _ = try reader.next(4)
    var chunks: [UInt8] = []
    var hasPixels = false
    while reader.place < end {
      let (type, content) = try chunk(before: end)
      switch type {
      case "VP8X":
        guard content.count == 10 else { throw PictureError(.damaged) }
        var content = Array(content)
        // The marks for EXIF and XMP.
        content[0] &= ~0b1100
        result.width = 1 + Self.number(content[4..<7])
        result.height = 1 + Self.number(content[7..<10])
        chunks += Self.chunk(type, content)
      case "ANMF":
        hasPixels = true
        chunks += Self.chunk(type, try frame(content))
      case "EXIF":
        // Some programs write it as JPEG does.
        result.remove(exif: content.starts(with: "Exif\0\0") ? content.dropFirst(6) : content)
      case "XMP ": result.removed.insert(.xmp)
      case let type where Self.kept.contains(type):
        if type.hasPrefix("VP8") {
          hasPixels = true
          if result.width == 0 { try size(type, content) }
        }
        chunks += Self.chunk(type, Array(content))
      default: result.removed.insert(.other)
      }
    }
    guard hasPixels else { throw PictureError(.damaged) }
    let size = chunks.count + 4
    result.bytes = Array("RIFF".utf8) + Self.bytes(size) + Array("WEBP".utf8) + chunks
    return result
  }

  private mutating func chunk(before end: Int) throws(PictureError) -> (String, ArraySlice<UInt8>) {
    let type = String(decoding: try reader.next(4), as: UTF8.self)
    let length = try reader.number(4, isLittle: true)
    let content = try reader.next(length)
    // A chunk of an odd length has a byte more; some programs leave it out at the end.
    if length % 2 == 1, reader.place < end { _ = try reader.next(1) }
    guard reader.place <= end else { throw PictureError(.damaged) }
    return (type, content)
  }

  /// A frame of an animation without chunks that it does not need.
  private mutating func frame(_ content: ArraySlice<UInt8>) throws(PictureError) -> [UInt8] {
    guard content.count >= 16 else { throw PictureError(.damaged) }
    var frame = Array(content.prefix(16))
    var inner = WebPCleaner(Array(content.dropFirst(16)))
    while !inner.reader.isAtEnd {
      let (type, part) = try inner.chunk(before: inner.reader.file.count)
      if Self.kept.contains(type) {
        frame += Self.chunk(type, Array(part))
      } else {
        result.removed.insert(.other)
      }
    }
    return frame
  }

  /// Reads the size of a file without `VP8X`.
  private mutating func size(_ type: String, _ content: ArraySlice<UInt8>) throws(PictureError) {
    let content = Array(content)
    if type == "VP8L" {
      guard content.count >= 5, content[0] == 0x2F else { throw PictureError(.damaged) }
      let bits = Self.number(content[1..<5])
      (result.width, result.height) = (1 + bits & 0x3FFF, 1 + bits >> 14 & 0x3FFF)
    } else {
      guard content.count >= 10, content[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else {
        throw PictureError(.damaged)
      }
      result.width = Self.number(content[6..<8]) & 0x3FFF
      result.height = Self.number(content[8..<10]) & 0x3FFF
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  private static func bytes(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 0xFF) } }

  private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    Array(type.utf8) + bytes(content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }
}
