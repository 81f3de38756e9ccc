// SPDX-License-Identifier: Apache-2.0

/// A colour profile (ICC.1) with what colours need, and without what it says besides: profiles of screens name a person, a computer
/// and the time of the calibration.
///
/// Untrusted: every offset is checked.
struct ColourProfile {
  /// Profiles of printers have a few megabytes.
  static let mostBytes = 8 << 20

  /// The profile without names and times.
  let bytes: [UInt8]

  private static let headerLength = 128
  /// Colours by numbers, and by tables; the others are names, times and what screens and printers do with them.
  private static let kept: Set<String> = [
    "wtpt", "bkpt", "chad", "cicp", "rXYZ", "gXYZ", "bXYZ", "rTRC", "gTRC", "bTRC", "kTRC",
    "A2B0", "A2B1", "A2B2", "B2A0", "B2A1", "B2A2", "D2B0", "D2B1", "D2B2", "D2B3", "B2D0", "B2D1", "B2D2",
    "B2D3",
  ]
  private static let curves: Set<String> = ["rTRC", "kTRC", "A2B0", "D2B0"]

  /// Reads a profile; nil if it is not one for pictures, or damaged.
  init?(_ profile: [UInt8]) {
    guard profile.count >= Self.headerLength + 4, profile.count <= Self.mostBytes,
      profile[36..<40].starts(with: "acsp"), let header = Self.header(profile)
    else { return nil }
    var tags = Self.names(isNew: profile[8] >= 4)
    let count = profile[128..<132].bigEndian
    guard count <= 100, profile.count >= 132 + 12 * count else { return nil }
    for place in 0..<count {
      let entry = profile[(132 + 12 * place)...].prefix(12)
      let name = String(decoding: entry.prefix(4), as: UTF8.self)
      guard Self.kept.contains(name), !tags.contains(where: { $0.name == name }) else { continue }
      let (start, length) = (entry.dropFirst(4).prefix(4).bigEndian, entry.dropFirst(8).bigEndian)
      guard start <= profile.count, length <= profile.count - start else { return nil }
      if let content = Self.content(Array(profile[start..<start + length])) { tags.append((name, content)) }
    }
    guard tags.contains(where: { Self.curves.contains($0.name) }) else { return nil }
    bytes = Self.profile(header, tags)
  }

  /// The version, the kind of device and the colour spaces; without times, programs and makers.
  private static func header(_ profile: [UInt8]) -> [UInt8]? {
    func has(_ words: [String], at place: Int) -> Bool {
      words.contains { profile[place..<place + 4].elementsEqual($0.utf8) }
    }
    guard has(["scnr", "mntr", "prtr", "spac"], at: 12), has(["RGB ", "GRAY", "CMYK", "Lab "], at: 16),
      has(["XYZ ", "Lab "], at: 20)
    else { return nil }
    var header = [UInt8](repeating: 0, count: headerLength)
    header.replaceSubrange(8..<10, with: profile[8..<10])
    header.replaceSubrange(12..<24, with: profile[12..<24])
    header.replaceSubrange(36..<40, with: "acsp".utf8)
    header[67] = profile[67] & 3
    // The white point of all profiles.
    header.replaceSubrange(68..<80, with: [0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D])
    return header
  }

  /// The names that every profile has to have: always the same.
  private static func names(isNew: Bool) -> [(name: String, content: [UInt8])] {
    let zeros = [UInt8](repeating: 0, count: 4)
    if isNew {
      let text =
        Array("mluc".utf8) + zeros + [UInt8](bigEndian: 1) + [UInt8](bigEndian: 12) + Array("enUS".utf8)
        + [UInt8](bigEndian: 6) + [UInt8](bigEndian: 28) + [0, 0x52, 0, 0x47, 0, 0x42]
      return [("desc", text), ("cprt", text)]
    }
    let description = Array("desc".utf8) + zeros + [UInt8](bigEndian: 4) + Array("RGB\0".utf8)
    return [
      ("desc", description + [UInt8](repeating: 0, count: 78)), ("cprt", Array("text".utf8) + zeros + [0]),
    ]
  }

  /// The content of a tag up to its end; nil if its type has nothing to do with colours.
  private static func content(_ tag: [UInt8]) -> [UInt8]? {
    guard tag.count >= 12, let length = length(tag), length <= tag.count else { return nil }
    var content = Array(tag.prefix(length))
    content.replaceSubrange(4..<8, with: [0, 0, 0, 0])
    return content
  }

  private static func length(_ tag: [UInt8]) -> Int? {
    switch String(decoding: tag.prefix(4), as: UTF8.self) {
    case "XYZ ": 20
    case "sf32": 44
    case "cicp": 12
    case "curv": 12 + 2 * tag[8..<12].bigEndian
    case "para":
      [1, 3, 4, 5, 7].dropFirst(tag[8..<10].bigEndian).first.map { 12 + 4 * $0 }
    case "mft1": tableLength(tag, header: 48, inputs: 256, outputs: 256, size: 1)
    case "mft2" where tag.count >= 52:
      tableLength(
        tag, header: 52, inputs: tag[48..<50].bigEndian, outputs: tag[50..<52].bigEndian, size: 2)
    // Tables with offsets of their own.
    case "mAB ", "mBA ", "mpet": tag.count
    default: nil
    }
  }

  private static func tableLength(
    _ tag: [UInt8], header: Int, inputs: Int, outputs: Int, size: Int
  ) -> Int? {
    let (channels, results, grid) = (Int(tag[8]), Int(tag[9]), Int(tag[10]))
    var points = results
    for _ in 0..<channels {
      points *= grid
      guard points <= tag.count else { return nil }
    }
    return header + size * (inputs * channels + points + outputs * results)
  }

  private static func profile(_ header: [UInt8], _ tags: [(name: String, content: [UInt8])]) -> [UInt8] {
    var table = [UInt8](bigEndian: tags.count)
    var data: [UInt8] = []
    // Often the curves of all colours are the same.
    var places: [[UInt8]: Int] = [:]
    let start = headerLength + 4 + 12 * tags.count
    for (name, content) in tags {
      let place = places[content] ?? start + data.count
      if places.updateValue(place, forKey: content) == nil {
        data += content + [UInt8](repeating: 0, count: (4 - content.count % 4) % 4)
      }
      table += Array(name.utf8) + [UInt8](bigEndian: place) + [UInt8](bigEndian: content.count)
    }
    let profile = header + table + data
    return [UInt8](bigEndian: profile.count) + profile.dropFirst(4)
  }
}

extension CleanPicture {
  /// The colours of a profile; nil if it has none. Notes what is removed.
  mutating func clean(profile: [UInt8]) -> [UInt8]? {
    let clean = ColourProfile(profile)?.bytes
    if clean != profile { removed.insert(.profile) }
    return clean
  }
}
