// SPDX-License-Identifier: Apache-2.0

// HEIC and AVIF (ISO 23008-12): boxes, each with a length and a type. Videos are made of the same boxes.

extension MeasuredPicture {
  private static let brands: [String: SourcePicture.Kind] = [
    "heic": .heic, "heix": .heic, "heim": .heic, "heis": .heic, "hevc": .heic, "hevx": .heic, "avif": .avif,
    "avis": .avif,
  ]
  /// Brands of any coding, beside which one of those above stands.
  private static let general: Set<String> = ["mif1", "msf1", "miaf"]
  /// Other files of such boxes that are not videos: raw pictures, sound, further pictures.
  private static let others: Set<String> = ["crx ", "M4A ", "M4B ", "jp2 ", "jpx ", "jxl "]

  /// Reads a file of boxes; nil for another file.
  ///
  /// - Throws: ``PictureError`` `video`, `unknownType`; `damaged` if it does not say how large it is.
  init?(boxes file: [UInt8]) throws(PictureError) {
    guard let first = Box(file[...]), first.type == "ftyp", first.content.count >= 8 else { return nil }
    let words = stride(from: 0, to: min(first.content.count, 256) - 3, by: 4).map {
      String(decoding: first.content.dropFirst($0).prefix(4), as: UTF8.self)
    }
    // The second word is a version.
    let brand = words[0]
    let compatible = words.dropFirst(2)
    let found = Self.general.contains(brand) ? compatible.lazy.compactMap { Self.brands[$0] }.first : nil
    guard let kind = Self.brands[brand] ?? found else {
      let isKnown = Self.others.contains(brand) || Self.general.contains(brand)
      throw PictureError(isKnown ? .unknownType : .video)
    }
    guard let (width, height) = Self.size(file[...]) else { throw PictureError(.damaged) }
    self.init(kind, width, height)
  }

  /// The size of the largest picture: others are small copies and tiles of it.
  private static func size(_ file: ArraySlice<UInt8>) -> (Int, Int)? {
    let properties = Box.all(in: file).filter { $0.type == "meta" }
      .flatMap { Box.all(in: $0.content.dropFirst(4)) }.filter { $0.type == "iprp" }
      .flatMap { Box.all(in: $0.content) }.filter { $0.type == "ipco" }
      .flatMap { Box.all(in: $0.content) }.filter { $0.type == "ispe" && $0.content.count >= 12 }
    return properties.map {
      ($0.content.dropFirst(4).prefix(4).bigEndian, $0.content.dropFirst(8).prefix(4).bigEndian)
    }.max { Double($0.0) * Double($0.1) < Double($1.0) * Double($1.1) }
  }
}

/// A part of a file.
private struct Box {
  let type: String
  let content: ArraySlice<UInt8>
  let end: Int

  /// Reads the box at the beginning; nil if there is none.
  init?(_ bytes: ArraySlice<UInt8>) {
    guard bytes.count >= 8 else { return nil }
    var length = bytes.prefix(4).bigEndian
    var head = 8
    if length == 1, bytes.count >= 16, bytes[bytes.startIndex + 8] == 0 {
      (length, head) = (bytes.dropFirst(9).prefix(7).bigEndian, 16)
    } else if length == 0 {
      length = bytes.count
    }
    guard length >= head, length <= bytes.count else { return nil }
    type = String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self)
    end = bytes.startIndex + length
    content = bytes[(bytes.startIndex + head)..<end]
  }

  /// The boxes of a part; a picture has some hundred.
  static func all(in bytes: ArraySlice<UInt8>) -> [Box] {
    var boxes: [Box] = []
    var rest = bytes
    while boxes.count < 10_000, let box = Box(rest) {
      boxes.append(box)
      rest = bytes[box.end...]
    }
    return boxes
  }
}
