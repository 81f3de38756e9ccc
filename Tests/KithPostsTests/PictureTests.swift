// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithPosts

/// Pictures, and what is removed of them. The files were written by ImageMagick, cwebp and exiftool.
@Suite struct PictureTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Pictures")

  private static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: folder.appending(path: name)))
  }

  private func has(_ bytes: [UInt8], _ text: String) -> Bool {
    Data(bytes).range(of: Data(text.utf8)) != nil
  }

  @Test(
    arguments: [
      ("photo.jpg", Picture.Kind.jpeg, [.position, .exif, .thumbnail, .xmp, .iptc, .text, .other, .profile]),
      ("progressive.jpg", .jpeg, [.position, .exif, .thumbnail, .xmp, .iptc, .text, .profile]),
      ("photo.png", .png, [.position, .exif, .xmp, .text, .time]),
      ("photo.webp", .webp, [.position, .exif, .xmp]), ("lossless.webp", .webp, [.position, .exif, .xmp]),
    ] as [(String, Picture.Kind, Set<Picture.Metadata>)])
  func removesWhatAFileSaysBesidesItsPixels(
    name: String, kind: Picture.Kind, removed: Set<Picture.Metadata>
  ) throws {
    let file = try Self.file(name)
    let picture = try Picture(file)
    #expect(picture.kind == kind)
    #expect((picture.width, picture.height) == (48, 32))
    #expect(picture.removed == removed)
    for secret in ["Camera", "Alice", "Secret", "secret", "hello", "trailer", "Exif", "xmp", "Photoshop"] {
      #expect(!has(picture.bytes, secret), "\(secret)")
    }
    let again = try Picture(picture.bytes)
    #expect(again.bytes == picture.bytes && again.removed == [])
  }

  @Test func keepsPixelsAndColourProfiles() throws {
    let (file, picture) = (try Self.file("photo.jpg"), try Picture(try Self.file("photo.jpg")))
    #expect(has(picture.bytes, "ICC_PROFILE"))
    // The data of the scan, which follows the last start of a scan.
    let scan = try #require(Data(file).range(of: Data([0xFF, 0xDA, 0, 12]), options: .backwards))
    let end = try #require(Data(file).range(of: Data("trailer".utf8)))
    #expect(
      picture.bytes.suffix(from: picture.bytes.count - (end.lowerBound - scan.lowerBound))
        .elementsEqual(file[scan.lowerBound..<end.lowerBound]))
  }

  @Test func readsAnimations() throws {
    let picture = try Picture(try Self.file("animation.webp"))
    #expect((picture.width, picture.height) == (16, 16))
    #expect(picture.bytes == (try Self.file("animation.webp")) && picture.frames == 2)
  }

  @Test func refusesWhatHasToBeTurnedOrConverted() throws {
    func code(_ bytes: [UInt8]) -> PictureError.Code? {
      do throws(PictureError) {
        _ = try Picture(bytes)
        return nil
      } catch { return error.code }
    }
    #expect(code(try Self.file("turned.jpg")) == .turned)
    #expect(code([]) == .empty)
    #expect(code(Array("GIF89a".utf8)) == .otherType)
    #expect(code(Array("<svg/>".utf8)) == .otherType)
    var bomb = try Self.file("photo.png")
    bomb.replaceSubrange(16..<24, with: [0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF])
    #expect(code(bomb) == .tooManyPixels)
    bomb.replaceSubrange(16..<24, with: [0, 0, 0, 0, 0, 0, 0, 1])
    #expect(code(bomb) == .damaged)
  }

  @Test(arguments: [
    "photo.jpg", "progressive.jpg", "photo.png", "photo.webp", "lossless.webp", "animation.webp",
  ])
  func refusesOrReportsEveryTruncation(name: String) throws {
    // What follows the end of the picture may be missing.
    let whole = try Picture(try Self.file(name)).bytes
    for length in 0..<whole.count - 1 {
      do throws(PictureError) {
        let picture = try Picture(Array(whole.prefix(length)))
        // Some of the pixels of a JPEG are shown without the others.
        #expect(picture.kind == .jpeg && picture.endsEarly)
      } catch { #expect(error.code == .damaged || length < 12) }
    }
  }

  @Test(arguments: ["photo.jpg", "photo.png", "photo.webp"])
  func survivesEveryDamage(name: String) throws {
    let file = try Self.file(name)
    let values: [UInt8] = [0, 0x7F, 0xFF]
    for place in file.indices {
      for value in CaseSample.isWhole ? values : [values[place % values.count]] {
        var damaged = file
        damaged[place] = value
        // Whatever comes out is a picture that is read again.
        if let picture = try? Picture(damaged) { #expect((try? Picture(picture.bytes)) != nil) }
      }
    }
  }

  @Test func readsHowAPictureIsTurnedInBothByteOrders() throws {
    func turned(_ block: [UInt8]) -> Bool {
      var clean = CleanPicture(.jpeg)
      clean.remove(exif: block[...])
      return clean.orientation == 6
    }
    let little = Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 1, 3, 0, 1, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0, 0]
    let big = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0]
    #expect(turned(little) && turned(big))
    for length in 0..<18 { #expect(!turned(Array(little.prefix(length)))) }
    // A directory that begins far behind the end, with as many entries as there can be.
    #expect(!turned(Array("II*\0".utf8) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]))
  }
}
