// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import Testing

@testable import KithPosts

/// What a file can carry in the parts that stay: nothing but pixels and colours comes through.
@Suite struct PictureRemainderTests {
  private static let mark = Array("SECRET-MARK-SECRET".utf8)

  private func file(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")
    return Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private func hasMark(_ bytes: [UInt8]) -> Bool { Data(bytes).range(of: Data(Self.mark)) != nil }

  /// The picture of a file with a mark: it has to be readable, without the mark, and say that something was removed.
  private func check(_ file: [UInt8], removes kind: Picture.Metadata = .other) throws {
    #expect(hasMark(file))
    let picture = try Picture(file)
    #expect(!hasMark(picture.bytes))
    #expect(picture.removed.contains(kind))
    let again = try Picture(picture.bytes)
    #expect(again.bytes == picture.bytes && again.removed.isEmpty)
  }

  // MARK: JPEG

  private func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = content.count + 2
    return [0xFF, marker, UInt8(length >> 8), UInt8(length & 0xFF)] + content
  }

  /// Adds a segment before all others.
  private func jpeg(with segment: [UInt8]) throws -> [UInt8] {
    var file = try Picture(try file("photo.jpg")).bytes
    file.insert(contentsOf: segment, at: 2)
    return file
  }

  @Test(arguments: Array(UInt8(0xE0)...0xFE).filter { $0 != 0xED } + [0xC8, 0xDE, 0xDF, 0xED])
  func segmentsThatNoDecoderNeedsAreRemoved(marker: UInt8) throws {
    let kind: Picture.Metadata = marker == 0xFE ? .text : marker == 0xED ? .iptc : .other
    try check(try jpeg(with: segment(marker, Self.mark)), removes: kind)
  }

  @Test(
    arguments: [
      (0xEE, Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 1]), (0xDC, [0, 32]), (0xDD, [0, 0]), (0xCC, [0, 1]),
    ] as [(UInt8, [UInt8])])
  func segmentsHaveTheLengthOfTheirContent(marker: UInt8, content: [UInt8]) throws {
    let kept = content + (marker == 0xCC ? [UInt8](repeating: 0, count: 64 - content.count) : [])
    try check(try jpeg(with: segment(marker, kept + Self.mark)))
    #expect(try Picture(try jpeg(with: segment(marker, kept))).removed.isEmpty)
  }

  @Test func tablesHaveTheLengthOfTheirContent() throws {
    try check(try jpeg(with: segment(0xDB, [UInt8](repeating: 1, count: 65) + Self.mark)))
    try check(try jpeg(with: segment(0xC4, [0, 1] + [UInt8](repeating: 0, count: 15) + [5] + Self.mark)))
  }

  @Test func versionAndFlagsOfAdobeAreAlwaysTheSame() throws {
    let picture = try Picture(try jpeg(with: segment(0xEE, Array("Adobe".utf8) + [1, 2, 3, 4, 5, 6, 2])))
    #expect(
      Data(picture.bytes).range(of: Data(Array("Adobe".utf8) + [0, 100, 0, 0, 0, 0, 2])) != nil)
  }

  @Test(arguments: [0xC3, 0xC5, 0xC6, 0xC7, 0xCB, 0xCD, 0xCE, 0xCF] as [UInt8])
  func framesThatAppsDoNotDecodeHaveToBeConverted(marker: UInt8) throws {
    let error = #expect(throws: PictureError.self) {
      _ = try Picture([0xFF, 0xD8] + segment(marker, [8, 0, 32, 0, 48, 1, 1, 0x11, 0]))
    }
    #expect(error?.code == .otherType)
    let large = #expect(throws: PictureError.self) {
      _ = try Picture([0xFF, 0xD8] + segment(marker, [8, 0xFF, 0xFF, 0xFF, 0xFF, 1, 1, 0x11, 0]))
    }
    #expect(large?.code == .tooManyPixels)
  }

  @Test func aPictureWithoutItsEndGetsOneAndSaysSo() throws {
    let whole = try Picture(try file("photo.jpg"))
    let picture = try Picture(Array(whole.bytes.dropLast(2)))
    #expect(picture.endsEarly && picture.bytes == whole.bytes && !whole.endsEarly)
    #expect(try Picture(Array(whole.bytes.dropLast(1))).bytes == whole.bytes)
  }

  // MARK: PNG

  private func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
    // Checksums are computed again, so that they carry nothing either.
    [UInt8](bigEndian: content.count) + Array(type.utf8) + content + Array("SUM!".utf8)
  }

  /// Adds a chunk behind the header.
  private func png(with chunk: [UInt8]) throws -> [UInt8] {
    var file = try Picture(try file("photo.png")).bytes
    file.insert(contentsOf: chunk, at: 33)
    return file
  }

  @Test(arguments: [
    "IHDR", "gAMA", "cHRM", "sRGB", "sBIT", "cICP", "mDCV", "cLLI", "bKGD", "pHYs", "acTL", "PLTE", "fcTL",
    "eXIf", "zzZz",
  ])
  func chunksOfAnotherLengthAreRemoved(type: String) throws {
    let length = type == "PLTE" ? 1 : 0
    try check(
      try png(with: chunk(type, Self.mark + [UInt8](repeating: 0, count: length))),
      removes: type == "eXIf" ? .exif : .other)
  }

  @Test func checksumsAreComputed() throws {
    let picture = try Picture(try png(with: chunk("sRGB", [0])))
    #expect(Data(picture.bytes).range(of: Data("SUM!".utf8)) == nil)
    // As other programs compute it.
    #expect(Data(picture.bytes).range(of: Data(Array("sRGB".utf8) + [0, 0xAE, 0xCE, 0x1C, 0xE9])) != nil)
    #expect(CRC32.of(Array("IEND".utf8)) == 0xAE42_6082)
  }

  @Test func chunksThatComeOnceAreKeptOnce() throws {
    let twice = chunk("pHYs", [0, 0, 0, 1, 0, 0, 0, 1, 0]) + chunk("pHYs", Array(Self.mark.prefix(9)))
    let picture = try Picture(try png(with: twice))
    #expect(picture.removed == [.other])
    #expect(Data(picture.bytes).range(of: Data(Self.mark.prefix(9))) == nil)
  }

  @Test func theEndIsEmpty() throws {
    let whole = try Picture(try file("photo.png")).bytes
    let file = Array(whole.dropLast(12)) + chunk("IEND", Self.mark)
    try check(file)
    #expect(try Picture(file).bytes == whole)
  }

  @Test func whatFollowsCompressedPixelsIsRemoved() throws {
    let whole = try Picture(try file("photo.png")).bytes
    let start = try #require(Data(whole).range(of: Data("IDAT".utf8))).lowerBound
    let pixels = Array(whole[(start + 4)...].dropLast(16))
    let head = Array(whole[..<(start - 4)])
    let end = chunk("IEND", [])
    try check(head + chunk("IDAT", pixels + Self.mark) + end)
    // In several chunks, and in one after others.
    try check(
      head + chunk("IDAT", Array(pixels.prefix(20))) + chunk("IDAT", pixels.dropFirst(20) + Self.mark) + end)
    let file = head + chunk("IDAT", pixels) + chunk("tIME", []) + chunk("IDAT", Self.mark) + end
    try check(file)
    #expect(try Picture(file).bytes == whole)
  }

  // MARK: WebP

  private func riff(_ type: String, _ content: [UInt8]) -> [UInt8] {
    Array(type.utf8) + [UInt8](littleEndian: content.count) + content + (content.count % 2 == 1 ? [0] : [])
  }

  @Test(arguments: ["VP8X", "VP8 ", "VP8L", "ICCP", "ALPH", "zzzz"])
  func chunksThatAreThereAlreadyAreRemoved(type: String) throws {
    var chunks = Array(try Picture(try file("photo.webp")).bytes.dropFirst(12))
    chunks += type == "ALPH" ? riff("ALPH", [0]) + riff("ALPH", Self.mark) : riff(type, Self.mark)
    let file = Array("RIFF".utf8) + [UInt8](littleEndian: chunks.count + 4) + Array("WEBP".utf8) + chunks
    try check(file, removes: type == "ICCP" ? .profile : .other)
  }

  @Test func animationsHaveOnlyFramesInTheirFrames() throws {
    let whole = try Picture(try file("animation.webp"))
    #expect(whole.frames == 2)
    var file = whole.bytes
    let start = try #require(Data(file).range(of: Data("ANMF".utf8))).lowerBound
    let length = file[start + 4..<start + 8].littleEndian
    let added = riff("EXIF", Self.mark)
    file.insert(contentsOf: added, at: start + 8 + length + length % 2)
    file.replaceSubrange(
      start + 4..<start + 8, with: [UInt8](littleEndian: length + length % 2 + added.count))
    file.replaceSubrange(4..<8, with: [UInt8](littleEndian: file.count - 8))
    try check(file)
  }
}
