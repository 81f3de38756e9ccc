// SPDX-License-Identifier: Apache-2.0

/// A picture before it is converted: what reader it takes, and how large it is. It is what a file says of itself in the way that its type
/// demands, so that no program has to guess. Untrusted: every offset is checked.
public struct SourcePicture: Sendable, Hashable {
  /// The types that can be converted.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp, gif, bmp, tiff, heic, avif
  }

  /// The type.
  public let kind: Kind
  /// How many pictures it is: more than one for an animation.
  public let frames: Int

  /// Reads a file that ``Picture`` cannot take as it is.
  ///
  /// - Throws: ``PictureError``: `video`; `unknownType`; `damaged`; `tooManyPixels`, since a small file may claim any number of them.
  public init(_ file: [UInt8]) throws(PictureError) {
    if let kind = Picture.kind(of: file) {
      // Its size was checked when it was found to be of another form.
      (self.kind, frames) = (Kind(kind), 1)
      return
    }
    let measured: MeasuredPicture?
    if file.starts(with: "GIF87a") || file.starts(with: "GIF89a") {
      measured = try MeasuredPicture(gif: file)
    } else if file.starts(with: "II*\0") || file.starts(with: "MM\0*") {
      measured = MeasuredPicture(tiff: file)
    } else if file.starts(with: "BM") {
      measured = MeasuredPicture(bmp: file)
    } else {
      measured = try MeasuredPicture(boxes: file)
    }
    guard let measured else { throw PictureError(Self.isVideo(file) ? .video : .unknownType) }
    guard measured.width > 0, measured.height > 0 else { throw PictureError(.damaged) }
    guard measured.width <= Picture.mostPixels / measured.height else { throw PictureError(.tooManyPixels) }
    (kind, frames) = (measured.kind, measured.frames)
  }

  /// Whether it is a video of a type that is not made of boxes: AVI, Matroska and WebM, MPEG; or QuickTime of the first years.
  private static func isVideo(_ file: [UInt8]) -> Bool {
    file.starts(with: "RIFF") && file.dropFirst(8).starts(with: "AVI ")
      || file.starts(with: [0x1A, 0x45, 0xDF, 0xA3]) || file.starts(with: [0, 0, 1, 0xBA])
      || file.starts(with: [0, 0, 1, 0xB3])
      || ["moov", "mdat", "wide"].contains { file.dropFirst(4).starts(with: $0.utf8) }
  }
}

extension SourcePicture.Kind {
  fileprivate init(_ kind: Picture.Kind) {
    switch kind {
    case .jpeg: self = .jpeg
    case .png: self = .png
    case .webp: self = .webp
    }
  }
}

/// The type and the size of a picture.
struct MeasuredPicture {
  let kind: SourcePicture.Kind
  let width, height: Int
  var frames = 1

  init(_ kind: SourcePicture.Kind, _ width: Int, _ height: Int) {
    (self.kind, self.width, self.height) = (kind, width, height)
  }

  /// GIF: a screen, and pictures on it.
  init(gif file: [UInt8]) throws(PictureError) {
    var reader = PictureReader(file, at: 6)
    self.init(.gif, try reader.number(2, isLittle: true), try reader.number(2, isLittle: true))
    _ = try reader.next(Self.coloursLength(try reader.number(1)) + 2)
    frames = 0
    // Files without an end are shown.
    do throws(PictureError) {
      while try Self.gifBlock(&reader) { frames += 1 }
    } catch {}
    guard frames > 0 else { throw PictureError(.damaged) }
  }

  /// Reads up to the end of the next picture; false at the end.
  private static func gifBlock(_ reader: inout PictureReader) throws(PictureError) -> Bool {
    while true {
      switch try reader.number(1) {
      case 0x2C:
        _ = try reader.next(8)
        _ = try reader.next(coloursLength(try reader.number(1)) + 1)
        try skipParts(&reader)
        return true
      case 0x21:
        _ = try reader.next(1)
        try skipParts(&reader)
      default: return false
      }
    }
  }

  private static func coloursLength(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << (flags & 7 + 1) }

  private static func skipParts(_ reader: inout PictureReader) throws(PictureError) {
    while case let length = try reader.number(1), length > 0 { _ = try reader.next(length) }
  }

  /// BMP: a header of a known length.
  init?(bmp file: [UInt8]) {
    guard file.count >= 30 else { return nil }
    func number(_ place: Int, _ count: Int) -> Int { file[place..<place + count].littleEndian }
    switch number(14, 4) {
    case 12: self.init(.bmp, number(18, 2), number(20, 2))
    case 40, 52, 56, 64, 108, 124:
      // Rows from the top down have a negative height.
      self.init(.bmp, number(18, 4), Int(Int32(truncatingIfNeeded: number(22, 4)).magnitude))
    default: return nil
    }
  }

  /// TIFF: the first directory.
  init?(tiff file: [UInt8]) {
    let isLittle = file.starts(with: "II")
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= file.count - count else { return nil }
      let part = file[place..<place + count]
      return isLittle ? part.littleEndian : part.bigEndian
    }
    guard let first = number(4, 4), let count = number(first, 2) else { return nil }
    var size: [Int: Int] = [:]
    for place in 0..<count {
      let entry = first + 2 + 12 * place
      guard let tag = number(entry, 2), let type = number(entry + 2, 2) else { return nil }
      // A short or a long number.
      if tag == 256 || tag == 257 { size[tag] = number(entry + 8, type == 3 ? 2 : 4) }
    }
    guard let width = size[256], let height = size[257] else { return nil }
    self.init(.tiff, width, height)
  }
}
