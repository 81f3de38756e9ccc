// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import Testing

@testable import KithPosts

/// Colour profiles: their colours are published, and who calibrated which screen when is not.
@Suite struct ColourProfileTests {
  private static let mark = Array("SECRET-MARK-SECRET".utf8)
  private static let red =
    Array("XYZ ".utf8) + [0, 0, 0, 0, 0, 0, 0x6F, 0xA2, 0, 0, 0x38, 0xF5, 0, 0, 3, 0x90]
  private static let curve = Array("curv".utf8) + [0, 0, 0, 0, 0, 0, 0, 1, 2, 0x33]

  private func has(_ bytes: [UInt8], _ part: [UInt8]) -> Bool { Data(bytes).range(of: Data(part)) != nil }

  /// A profile of a screen, with a mark in every field of its header that has nothing to do with colours.
  private func profile(
    version: UInt8 = 2, marked: Bool = true, _ more: [(String, [UInt8])] = []
  ) -> [UInt8] {
    var header = [UInt8](repeating: marked ? 0x58 : 0, count: 128)
    header.replaceSubrange(8..<24, with: [version, 0x10, 0, 0] + Array("mntrRGB XYZ ".utf8))
    header.replaceSubrange(36..<40, with: "acsp".utf8)
    header.replaceSubrange(64..<80, with: [0, 0, 0, 1, 0, 0, 0xF6, 0xD6, 0, 1, 0, 0, 0, 0, 0xD3, 0x2D])
    let tags =
      ["rXYZ", "gXYZ", "bXYZ"].map { ($0, Self.red) } + ["rTRC", "gTRC", "bTRC"].map { ($0, Self.curve) }
      + more
    var table = [UInt8](bigEndian: tags.count)
    var data: [UInt8] = []
    for (name, content) in tags {
      table += Array(name.utf8) + [UInt8](bigEndian: 132 + 12 * tags.count + data.count)
      table += [UInt8](bigEndian: content.count)
      data += content
    }
    return header + table + data
  }

  private func file(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")
    return try Picture(Array(try Data(contentsOf: folder.appending(path: name)))).bytes
  }

  @Test(arguments: [2, 4] as [UInt8])
  func onlyColoursStay(version: UInt8) throws {
    let text = Array("text".utf8) + [0, 0, 0, 0] + Self.mark
    let names = ["desc", "cprt", "dmnd", "dmdd", "mmod", "vcgt", "calt", "targ", "zzzz"].map { ($0, text) }
    let marked = profile(version: version, names + [("A2B0", text)])
    #expect(has(marked, Self.mark))
    let clean = try #require(ColourProfile(marked)?.bytes)
    #expect(!has(clean, Self.mark) && !has(clean, [0x58, 0x58]))
    #expect(clean.prefix(4).bigEndian == clean.count && clean[8] == version)
    #expect(has(clean, Self.red) && has(clean, Self.curve))
    #expect(ColourProfile(clean)?.bytes == clean)
    // Whatever it said besides its colours, the same comes out.
    #expect(ColourProfile(profile(version: version, marked: false))?.bytes == clean)
  }

  @Test(
    arguments: [
      ("wtpt", red), ("bTRD", curve), ("kTRC", curve),
      ("kTRC", Array("para".utf8) + [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0]),
      ("chad", Array("sf32".utf8) + [UInt8](repeating: 0, count: 40)),
      (
        "A2B0",
        Array("mft1".utf8) + [0, 0, 0, 0, 1, 1, 2, 0] + [UInt8](repeating: 1, count: 36 + 256 + 2 + 256)
      ),
      (
        "A2B0",
        Array("mft2".utf8) + [0, 0, 0, 0, 1, 1, 2, 0] + [UInt8](repeating: 0, count: 36) + [0, 2, 0, 2]
          + [UInt8](repeating: 1, count: 2 * (2 + 2 + 2))
      ),
    ] as [(String, [UInt8])])
  func colourTagsEndWithTheirNumbers(name: String, content: [UInt8]) throws {
    let clean = try #require(ColourProfile(profile([(name, content + Self.mark)]))?.bytes)
    #expect(!has(clean, Self.mark))
    #expect(clean == ColourProfile(profile([(name, content)]))?.bytes)
    #expect(has(clean, content))
  }

  @Test func whatIsNotAProfileOfAPictureHasNoColours() {
    let sound = profile()
    #expect(ColourProfile([]) == nil && ColourProfile(Array(sound.prefix(131))) == nil)
    for length in 132..<sound.count {
      #expect(ColourProfile(Array(sound.prefix(length))) == nil, "\(length)")
    }
    for (place, value) in [(36, 0), (12, 0x61), (16, 0x61), (20, 0x61), (128, 0xFF), (136, 0x7F)]
      as [(Int, UInt8)]
    {
      var damaged = sound
      damaged[place] = value
      #expect(ColourProfile(damaged) == nil, "\(place)")
    }
  }

  @Test func damageDoesNoHarm() {
    let sound = profile([("A2B0", Array("mft1".utf8) + [UInt8](repeating: 9, count: 700))])
    for place in sound.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var damaged = sound
        damaged[place] = value
        if let clean = ColourProfile(damaged)?.bytes { #expect(ColourProfile(clean)?.bytes == clean) }
      }
    }
  }

  // MARK: In pictures

  private func check(_ file: [UInt8], keeps: Bool = true) throws {
    let picture = try Picture(file)
    #expect(picture.removed == [.profile])
    #expect(has(picture.bytes, Self.curve) == keeps && !has(picture.bytes, Self.mark))
    #expect(try Picture(picture.bytes).bytes == picture.bytes)
  }

  private var marked: [UInt8] { profile([("desc", Array("desc".utf8) + [0, 0, 0, 0] + Self.mark)]) }

  private func jpeg(_ parts: [(UInt8, UInt8, [UInt8])]) throws -> [UInt8] {
    var file = try file("photo.jpg")
    let start = try #require(Data(file).range(of: Data("ICC_PROFILE".utf8))).lowerBound - 4
    file.removeSubrange(start..<start + 2 + file[(start + 2)...].prefix(2).bigEndian)
    let segments = parts.flatMap { part in
      let content = Array("ICC_PROFILE\0".utf8) + [part.0, part.1] + part.2
      return [0xFF, 0xE2, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 0xFF)] + content
    }
    file.insert(contentsOf: segments, at: 2)
    return file
  }

  @Test func jpegProfilesMayBeInSeveralParts() throws {
    try check(try jpeg([(1, 1, marked)]))
    try check(try jpeg([(2, 2, Array(marked.dropFirst(100))), (1, 2, Array(marked.prefix(100)))]))
    for parts in [[(1, 2, marked)], [(1, 1, marked), (2, 1, Self.mark)], [(0, 0, marked)]]
      as [[(UInt8, UInt8, [UInt8])]]
    {
      let picture = try Picture(try jpeg(parts))
      #expect(picture.removed == [.other] && !has(picture.bytes, Self.mark))
    }
  }

  private func png(_ profile: [UInt8], name: String = "Screen of Alice") throws -> [UInt8] {
    var file = try file("photo.png")
    let content = Array(name.utf8) + [0, 0] + profile
    file.insert(
      contentsOf: [UInt8](bigEndian: content.count) + Array("iCCP".utf8) + content + [0, 0, 0, 0], at: 33)
    return file
  }

  @Test func pngProfilesAreCompressedAndHaveAName() throws {
    try check(try png(Inflater.stored(marked)))
    let clean = try #require(ColourProfile(marked)?.bytes)
    try check(try png(Inflater.stored(clean)))
    #expect(try Picture(png(Inflater.stored(clean), name: "icc")).removed.isEmpty)
    // What is not compressed data is left out.
    let picture = try Picture(try png(marked))
    #expect(picture.removed == [.other] && !has(picture.bytes, Self.curve))
  }

  @Test func aWebPWithoutItsProfileDoesNotSayThatItHasOne() throws {
    func webp(_ profile: [UInt8]) throws -> [UInt8] {
      var chunks = Array(try file("photo.webp").dropFirst(12))
      if !chunks.starts(with: "VP8X") {
        chunks = Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 47, 0, 0, 31, 0, 0] + chunks
      }
      chunks[8] |= 0x20
      chunks.insert(
        contentsOf: Array("ICCP".utf8) + [UInt8](littleEndian: profile.count) + profile
          + (profile.count % 2 == 1 ? [0] : []), at: 18)
      return Array("RIFF".utf8) + [UInt8](littleEndian: chunks.count + 4) + Array("WEBP".utf8) + chunks
    }
    try check(try webp(marked))
    #expect(try Picture(webp(marked)).bytes[20] & 0x20 != 0)
    try check(try webp(Self.mark), keeps: false)
    #expect(try Picture(webp(Self.mark)).bytes[20] & 0x20 == 0)
  }
}

/// Compressed data, which other programs wrote.
@Suite struct InflaterTests {
  private static let text = Array(String(repeating: "the quick brown fox; ", count: 20).utf8)

  /// Of zlib: with codes of its own, with the fixed codes, and with repetitions.
  @Test(arguments: [
    "780105c1810900200800c1557e0fb7498c24508ca2c6ef6e0fa38eeba4adbc41cf27ec61d4719db49537e8f9843d8c3a"
      + "ae93b6f2063d9fb08751c775d256dea0e713f630eab84edaca1bf47cc21e461dd7495b79839e4fd8c3a8e33a692b6fd0"
      + "f3097b18755c276de50d7a3e610fa38eeba4adbc41cf27ec61d4719db49537e8f9843d8c3aae93b6f2063d9fb08751c7"
      + "75d256dea0e713f630eab84edaca1bf47cc21e461dd7495b79839e4fd8c3a8e33a692b6fd0f3097b18755c276de50d7a"
      + "3e610fa38eeba4adbc41cf27ec61d4719db49537e8f9843d8c3aae93b6f2063d9fb08751c775d256dea0e7133e896897"
      + "19",
    "78012bc94855282ccd4cce56482aca2fcf5348cbafb0562819151c4c820089689719",
    "78da2bc94855282ccd4cce56482aca2fcf5348cbafb0562819151c4c820089689719",
  ])
  func whatOtherProgramsCompressIsRead(hex: String) throws {
    let data = stride(from: 0, to: hex.utf8.count, by: 2).compactMap {
      UInt8(hex.dropFirst($0).prefix(2), radix: 16)
    }
    let most = Self.text.count
    #expect(Inflater.inflated(data, most: most) == Self.text)
    #expect(Inflater.inflated(data, most: most - 1) == nil)
    #expect(Inflater.end(of: data + [1, 2, 3]) == data.count)
    for length in 0..<data.count { #expect(Inflater.end(of: Array(data.prefix(length))) == nil) }
    for place in data.indices {
      for value in [0, 0x7F, 0xFF] as [UInt8] {
        var damaged = data
        damaged[place] = value
        // It ends, and within its bounds.
        #expect(Inflater.inflated(damaged, most: 1_000)?.count ?? 0 <= 1_000)
      }
    }
  }

  @Test(arguments: [0, 1, 0xFFFF, 0x10000, 200_000])
  func whatIsStoredIsReadAgain(count: Int) {
    let data = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let stored = Inflater.stored(data)
    #expect(Inflater.inflated(stored, most: count) == data && Inflater.end(of: stored) == stored.count)
  }

  @Test func theChecksumIsThatOfOtherPrograms() {
    #expect(Inflater.stored(Array("Wikipedia".utf8)).suffix(4).elementsEqual([0x11, 0xE6, 0x03, 0x98]))
  }
}
