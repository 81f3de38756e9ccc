// SPDX-License-Identifier: Apache-2.0

/// PNG (W3C): chunks, each with a length, a type, and a checksum.
///
/// Only chunks that pixels and colours need are kept, each once and of a length that its type can have; checksums are computed.
struct PNGCleaner {
  /// The chunks that come once, and their lengths.
  private static let lengths: [String: Set<Int>] = [
    "gAMA": [4], "cHRM": [32], "sRGB": [1], "sBIT": [1, 2, 3, 4], "cICP": [4], "mDCV": [24], "cLLI": [8],
    "bKGD": [1, 2, 6], "pHYs": [9], "acTL": [8], "PLTE": Set((1...256).map { 3 * $0 }), "tRNS": Set(1...256),
  ]

  private var reader: PictureReader
  private var result = CleanPicture(.png)
  private var seen: Set<String> = []
  /// The compressed pixels, which may be in several chunks.
  private var pixels: [UInt8] = []

  init(_ file: [UInt8]) { reader = PictureReader(file) }

  consuming func clean() throws(PictureError) -> CleanPicture {
    result.bytes += try reader.next(8)
    try header()
    while true {
      let (type, content) = try chunk()
      if type != "IDAT" { writePixels() }
      switch type {
      case "IDAT" where seen.contains(type): result.removed.insert(.other)
      case "IDAT": pixels += content
      case "IEND":
        guard seen.contains("IDAT") else { throw PictureError(.damaged) }
        write(type, [])
        if !content.isEmpty || !reader.isAtEnd { result.removed.insert(.other) }
        return result
      case "iCCP" where seen.insert(type).inserted: profile(content)
      case "fcTL" where content.count == 26, "fdAT" where content.count > 4: write(type, content)
      case let type where Self.lengths[type]?.contains(content.count) == true && seen.insert(type).inserted:
        if type == "acTL" { result.frames = max(1, content.prefix(4).bigEndian) }
        write(type, content)
      default: remove(type, content)
      }
    }
  }

  private mutating func chunk() throws(PictureError) -> (type: String, content: ArraySlice<UInt8>) {
    let length = try reader.number(4)
    let type = String(decoding: try reader.next(4), as: UTF8.self)
    let content = try reader.next(length)
    _ = try reader.next(4)
    return (type, content)
  }

  private mutating func header() throws(PictureError) {
    let (type, content) = try chunk()
    guard type == "IHDR", content.count == 13 else { throw PictureError(.damaged) }
    result.width = content.prefix(4).bigEndian
    result.height = content.dropFirst(4).prefix(4).bigEndian
    write(type, content)
  }

  /// Writes the pixels as one chunk, up to the end of what is compressed.
  private mutating func writePixels() {
    guard !pixels.isEmpty else { return }
    seen.insert("IDAT")
    // A larger file has to be converted, and nothing of it stays.
    let end = pixels.count <= Picture.mostBytes ? Inflater.end(of: pixels) ?? pixels.count : pixels.count
    if end < pixels.count { result.removed.insert(.other) }
    write("IDAT", pixels[..<end])
    pixels = []
  }

  /// Keeps the colours of a profile: its name, a zero, a zero for how it is compressed, and the compressed profile.
  private mutating func profile(_ content: ArraySlice<UInt8>) {
    guard let end = content.firstIndex(of: 0), end <= content.startIndex + 79, content.endIndex - end > 2,
      content[end + 1] == 0,
      let profile = Inflater.inflated(Array(content[(end + 2)...]), most: ColourProfile.mostBytes)
    else {
      result.removed.insert(.other)
      return
    }
    let name = Array("icc".utf8)
    if !content[..<end].elementsEqual(name) { result.removed.insert(.profile) }
    guard let clean = result.clean(profile: profile) else { return }
    write("iCCP", name + [0, 0] + Inflater.stored(clean))
  }

  private mutating func write(_ type: String, _ content: some Collection<UInt8>) {
    let checked = Array(type.utf8) + content
    result.bytes += [UInt8](bigEndian: content.count) + checked + [UInt8](bigEndian: Int(CRC32.of(checked)))
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

/// The checksum of PNG.
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ value >> 1 : value >> 1 }
  }

  static func of(_ bytes: [UInt8]) -> UInt32 {
    let table = table
    return ~bytes.reduce(UInt32.max) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ $0 >> 8 }
  }
}
