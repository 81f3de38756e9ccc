// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KithPosts

/// Pictures that have to be converted: what they are and how large, by their first bytes and nothing else.
@Suite struct SourcePictureTests {
  private func little(_ number: Int, _ count: Int = 2) -> [UInt8] {
    Array([UInt8](littleEndian: number).prefix(count))
  }

  private func gif(_ width: Int, _ height: Int, frames: Int, end: [UInt8] = [0x3B]) -> [UInt8] {
    let frame =
      [0x2C] + [UInt8](repeating: 0, count: 8) + [0x80] + [UInt8](repeating: 1, count: 6) + [
        2, 2, 0x44, 1, 0,
      ]
    let control: [UInt8] = [0x21, 0xF9, 4, 0, 0, 0, 0, 0]
    return Array("GIF89a".utf8) + little(width) + little(height) + [0x81, 0, 0]
      + [UInt8](repeating: 0, count: 12) + (0..<frames).flatMap { _ in control + frame } + end
  }

  private func bmp(_ width: Int, _ height: Int, header: Int = 40) -> [UInt8] {
    Array("BM".utf8) + [UInt8](repeating: 0, count: 12) + little(header, 4) + little(width, 4)
      + little(height, 4)
      + [UInt8](repeating: 0, count: 20)
  }

  private func tiff(_ width: Int, _ height: Int) -> [UInt8] {
    Array("II*\0".utf8) + little(8, 4) + little(2) + little(256) + little(4) + little(1, 4) + little(width, 4)
      + little(257) + little(3) + little(1, 4) + little(height) + [0xFF, 0xFF]
  }

  private func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    [UInt8](bigEndian: content.count + 8) + Array(type.utf8) + content
  }

  private func boxes(_ brands: String, sizes: [(Int, Int)]) -> [UInt8] {
    let words = Array(brands.utf8)
    let properties = sizes.map {
      box("ispe", [0, 0, 0, 0] + [UInt8](bigEndian: $0.0) + [UInt8](bigEndian: $0.1))
    }
    let meta =
      [0, 0, 0, 0] + box("hdlr", []) + box("iprp", box("ipco", box("irot", [1]) + properties.flatMap(\.self)))
    return box("ftyp", words.prefix(4) + [0, 0, 0, 0] + words.dropFirst(4)) + box("meta", meta)
      + box("mdat", [1, 2])
  }

  private func code(_ file: [UInt8]) -> PictureError.Code? {
    do throws(PictureError) {
      _ = try SourcePicture(file)
      return nil
    } catch { return error.code }
  }

  private func kind(_ file: [UInt8]) -> SourcePicture.Kind? { (try? SourcePicture(file))?.kind }

  @Test func theTypeIsThatOfTheFirstBytes() {
    #expect(kind(gif(32, 32, frames: 1)) == .gif)
    #expect(kind(bmp(32, 32)) == .bmp && kind(bmp(32, Int(UInt32.max) - 31)) == .bmp)
    #expect(kind(tiff(32, 32)) == .tiff)
    #expect(kind(boxes("heicmif1heic", sizes: [(4_032, 3_024), (320, 240)])) == .heic)
    #expect(kind(boxes("mif1mif1heic", sizes: [(32, 32)])) == .heic)
    #expect(kind(boxes("avifmif1", sizes: [(32, 32)])) == .avif)
    #expect(kind(boxes("mif1avifmiaf", sizes: [(32, 32)])) == .avif)
    #expect(kind([0xFF, 0xD8, 0xFF]) == .jpeg)
  }

  /// Files of other types with the signs of a picture in places where a careless reader looks.
  @Test(arguments: [
    "<!--ftyp--><svg xmlns=\"http://www.w3.org/2000/svg\"/>", "%PDFftypheic-1.4", "%!PSftypheic",
    "push ftypheic graphic-context", "BM is not a picture of a type that takes so few bytes", "PNG",
    " PNG\r\n",
    "RIFF0000WAVE", "", "GIF90a", "II+\0aaaaaaaaaaaaaaaaaaaaaaa", "P6 1 1 255 aaa", "v=ftypavif",
  ])
  func aFileThatOnlyContainsTheSignsOfAPictureIsNone(text: String) {
    #expect(code(Array(text.utf8)) == .unknownType)
  }

  @Test(arguments: ["isomiso2mp41", "mp42isom", "qt  qt  ", "M4V M4V ", "3gp43gp4", "avc1", "dash"])
  func aVideoIsNamedAsOne(brands: String) {
    #expect(code(boxes(brands, sizes: [])) == .video)
  }

  @Test func olderVideosAreNamedAsOnes() {
    for start in [
      Array("RIFF0000AVI LIST".utf8), [0x1A, 0x45, 0xDF, 0xA3, 1, 2], [0, 0, 1, 0xBA],
      [0, 0, 0, 8] + Array("moov".utf8),
      [0, 0, 0, 8] + Array("wide".utf8),
    ] as [[UInt8]] {
      #expect(code(start) == .video)
    }
    // Sound and raw pictures are made of the same boxes.
    for brands in ["M4A mp42", "crx isom", "jxl ", "mif1mif1"] {
      #expect(code(boxes(brands, sizes: [])) == .unknownType)
    }
  }

  @Test func moreThanAHundredMillionPixelsAreRefusedBeforeAnyProgramRuns() {
    #expect(
      code(gif(10_000, 10_001, frames: 1)) == .tooManyPixels && code(gif(10_000, 10_000, frames: 1)) == nil)
    #expect(code(bmp(10_000, 10_001)) == .tooManyPixels)
    #expect(code(tiff(1 << 31, 2)) == .tooManyPixels)
    #expect(code(boxes("heic", sizes: [(100, 100), (10_001, 10_000)])) == .tooManyPixels)
    #expect(code(boxes("avif", sizes: [(Int(UInt32.max), Int(UInt32.max))])) == .tooManyPixels)
  }

  @Test func aPictureWithoutASizeIsDamaged() {
    #expect(code(gif(0, 1, frames: 1)) == .damaged && code(gif(1, 1, frames: 0)) == .damaged)
    #expect(code(boxes("heic", sizes: [])) == .damaged && code(boxes("heic", sizes: [(0, 9)])) == .damaged)
    #expect(code(bmp(0, 1)) == .damaged && code(tiff(1, 0)) == .damaged)
  }

  @Test(arguments: [1, 2, 300])
  func thePicturesOfAnAnimationAreCounted(frames: Int) throws {
    #expect(try SourcePicture(gif(4, 4, frames: frames)).frames == frames)
    #expect(try SourcePicture(gif(4, 4, frames: frames, end: [])).frames == frames)
  }

  @Test func damageDoesNoHarm() {
    for file in [gif(4, 4, frames: 2), bmp(4, 4), tiff(4, 4), boxes("mif1mif1heic", sizes: [(4, 4)])] {
      for length in file.indices { _ = code(Array(file.prefix(length))) }
      for place in file.indices {
        for value in [0, 1, 0x7F, 0xFF] as [UInt8] {
          var damaged = file
          damaged[place] = value
          _ = code(damaged)
        }
      }
    }
  }
}
