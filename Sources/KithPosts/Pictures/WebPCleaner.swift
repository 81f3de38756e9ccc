// SPDX-License-Identifier: Apache-2.0

/// WebP (RFC 9649): RIFF chunks, each with a type and a length.
struct WebPCleaner {
  /// What VP8X says: there is a colour profile, an alpha channel, an animation.
  private static let profileMark: UInt8 = 0x20
  private static let marks: UInt8 = profileMark | 0x10 | 0x02

  private var reader: PictureReader
  private var result = CleanPicture(.webp)
  private var chunks: [UInt8] = []
  /// The chunks that come once.
  private var seen: Set<String> = []
  private var hasProfile = false

  init(_ file: [UInt8]) { reader = PictureReader(file) }

  consuming func clean() throws(PictureError) -> CleanPicture {
    _ = try reader.next(4)
    let length = try reader.number(4, isLittle: true)
    let end = 8 + length
    guard length >= 12, end <= reader.file.count else { throw PictureError(.damaged) }
    if end < reader.file.count { result.removed.insert(.other) }
    _ = try reader.next(4)
    var frames = 0
    while reader.place < end {
      let (type, content) = try chunk(before: end)
      switch type {
      case "VP8X" where chunks.isEmpty: try header(content)
      case "ANMF":
        frames += 1
        chunks += Self.chunk(type, try frame(content))
      case "ANIM" where content.count >= 6 && seen.insert(type).inserted:
        if content.count > 6 { result.removed.insert(.other) }
        chunks += Self.chunk(type, content.prefix(6))
      case "VP8 ", "VP8L", "ALPH": try pixels(type, content)
      case "ICCP" where seen.insert(type).inserted:
        guard let profile = result.clean(profile: Array(content)) else { continue }
        hasProfile = true
        chunks += Self.chunk(type, profile)
      default: remove(type, content)
      }
    }
    guard frames > 0 || !seen.isDisjoint(with: ["VP8 ", "VP8L"]) else { throw PictureError(.damaged) }
    result.frames = max(1, frames)
    noteProfile()
    result.bytes =
      Array("RIFF".utf8) + [UInt8](littleEndian: chunks.count + 4) + Array("WEBP".utf8) + chunks
    return result
  }

  private mutating func header(_ content: ArraySlice<UInt8>) throws(PictureError) {
    guard content.count == 10 else { throw PictureError(.damaged) }
    var content = Array(content)
    content[0] &= Self.marks
    content.replaceSubrange(1..<4, with: [0, 0, 0])
    result.width = 1 + content[4..<7].littleEndian
    result.height = 1 + content[7..<10].littleEndian
    chunks += Self.chunk("VP8X", content)
  }

  /// Removes the mark of a profile that was removed.
  private mutating func noteProfile() {
    guard chunks.starts(with: "VP8X"), !hasProfile else { return }
    chunks[8] &= ~Self.profileMark
  }

  private mutating func pixels(_ type: String, _ content: ArraySlice<UInt8>) throws(PictureError) {
    let name = type == "ALPH" ? type : "VP8 "
    guard seen.insert(name).inserted else {
      result.removed.insert(.other)
      return
    }
    if result.width == 0 { try size(type, content) }
    chunks += Self.chunk(type, content)
  }

  private mutating func remove(_ type: String, _ content: ArraySlice<UInt8>) {
    switch type {
    // Some programs write it as JPEG does.
    case "EXIF": result.remove(exif: content.starts(with: "Exif\0\0") ? content.dropFirst(6) : content)
    case "XMP ": result.removed.insert(.xmp)
    default: result.removed.insert(.other)
    }
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
    // How it is blended and disposed of; the other bits mean nothing.
    frame[15] &= 3
    var inner = WebPCleaner(Array(content.dropFirst(16)))
    while !inner.reader.isAtEnd {
      let (type, part) = try inner.chunk(before: inner.reader.file.count)
      let name = type == "VP8L" ? "VP8 " : type
      if ["VP8 ", "ALPH"].contains(name), inner.seen.insert(name).inserted {
        frame += Self.chunk(type, part)
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
      let bits = content[1..<5].littleEndian
      (result.width, result.height) = (1 + bits & 0x3FFF, 1 + bits >> 14 & 0x3FFF)
    } else {
      guard content.count >= 10, content[3...5].elementsEqual([0x9D, 0x01, 0x2A]) else {
        throw PictureError(.damaged)
      }
      result.width = content[6..<8].littleEndian & 0x3FFF
      result.height = content[8..<10].littleEndian & 0x3FFF
    }
  }

  private static func chunk(_ type: String, _ content: some Collection<UInt8>) -> [UInt8] {
    Array(type.utf8) + [UInt8](littleEndian: content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }
}
