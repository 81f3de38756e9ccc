// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A picture as it may be published: of a type that every app shows, and without what the file says about its author.
///
/// The compressed pixel data is copied unchanged; everything around it is rewritten: parts that pixels and colours need, each of
/// the length that it can have, and of colour profiles the colours only.
public struct Picture: Sendable, Hashable {
  /// The type of a picture, by its first bytes.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, webp

    /// The media type: `image/jpeg`.
    public var mimeType: String { "image/\(rawValue)" }
  }

  /// What a file says besides its pixels.
  public enum Metadata: String, Sendable, Hashable, CaseIterable {
    /// Where it was taken.
    case position
    /// The camera, the time and more (EXIF).
    case exif
    /// A small copy, which may show what was cut off.
    case thumbnail
    /// What programs note about it (XMP).
    case xmp
    /// Names, captions and rights (IPTC).
    case iptc
    /// A comment, or named texts.
    case text
    /// The time of the last change.
    case time
    /// Names and times in a colour profile, such as those of a screen and who calibrated it.
    case profile
    /// What only some programs understand, or what comes after the end of the picture.
    case other
  }

  /// The most bytes of a picture in a post.
  public static let mostBytes = 2_000_000
  /// The most pixels; a small file may claim any number of them.
  public static let mostPixels = 100_000_000

  /// The type.
  public let kind: Kind
  /// The file without metadata.
  public let bytes: [UInt8]
  /// The size in pixels.
  public let width, height: Int
  /// What was removed.
  public let removed: Set<Metadata>
  /// How many pictures it is: more than one for an animation, of which apps show the first.
  public let frames: Int
  /// Whether its last part was missing: of some the lower part is gone, others only lack the mark of their end.
  public let endsEarly: Bool

  /// Reads a file and removes its metadata.
  ///
  /// - Throws: ``PictureError``.
  public init(_ file: [UInt8]) throws(PictureError) {
    let clean: CleanPicture
    switch Self.kind(of: file) {
    case .jpeg: clean = try JPEGCleaner(file).clean()
    case .png: clean = try PNGCleaner(file).clean()
    case .webp: clean = try WebPCleaner(file).clean()
    case nil: throw file.isEmpty ? PictureError(.empty) : PictureError(.otherType)
    }
    guard clean.width > 0, clean.height > 0 else { throw PictureError(.damaged) }
    guard !clean.hasTooManyPixels else { throw PictureError(.tooManyPixels) }
    guard clean.orientation <= 1 else { throw PictureError(.turned) }
    (bytes, width, height, removed) = (clean.bytes, clean.width, clean.height, clean.removed)
    (kind, frames, endsEarly) = (clean.kind, clean.frames, clean.endsEarly)
  }

  /// The type of a file by its first bytes; nil for another one.
  package static func kind(of file: [UInt8]) -> Kind? {
    if file.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
    if file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
    if file.starts(with: "RIFF".utf8), file.dropFirst(8).starts(with: "WEBP".utf8) { return .webp }
    return nil
  }
}

/// Why a file is not a picture that may be published as it is.
public struct PictureError: CodedError {
  public static let domain = "picture"

  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable, CustomStringConvertible {
    /// The file is empty.
    case empty
    /// It is not a JPEG, PNG or WebP file, and has to be converted.
    case otherType
    /// It ends too early, or contradicts itself.
    case damaged
    /// It has more pixels than ``Picture/mostPixels``.
    case tooManyPixels
    /// It has to be turned or mirrored to be upright.
    case turned
    /// It is a video.
    case video
    /// It is not a picture of a type that can be converted.
    case unknownType

    public var description: String { rawValue }
  }

  /// The kind of failure.
  public let code: Code

  init(_ code: Code) { self.code = code }

  /// What is wrong, as a phrase.
  public var detail: String {
    switch code {
    case .empty: "the file is empty"
    case .otherType: "it is not a JPEG, PNG or WebP picture"
    case .damaged: "the picture is damaged, or ends too early"
    case .tooManyPixels: "it has more than \(Picture.mostPixels / 1_000_000) million pixels"
    case .turned: "it has to be turned to be upright"
    case .video: "it is a video, not a picture"
    case .unknownType: "it is not a picture of a known type"
    }
  }
}

/// What a cleaner makes of a file.
struct CleanPicture {
  let kind: Picture.Kind
  var bytes: [UInt8] = []
  var width = 0
  var height = 0
  /// How it has to be turned or mirrored, by EXIF: 1 for not at all, 0 if nothing says so.
  var orientation = 0
  var removed: Set<Picture.Metadata> = []
  var frames = 1
  var endsEarly = false

  init(_ kind: Picture.Kind) { self.kind = kind }

  var hasTooManyPixels: Bool { height > 0 && width > Picture.mostPixels / height }

  /// Notes what EXIF data says, which is removed.
  mutating func remove(exif block: ArraySlice<UInt8>) {
    removed.insert(.exif)
    let exif = EXIFBlock(block)
    if let found = exif.orientation, (1...8).contains(found) { orientation = found }
    if exif.hasPosition { removed.insert(.position) }
    if exif.hasThumbnail { removed.insert(.thumbnail) }
  }
}

/// The few facts that are read of EXIF data, which is a TIFF file: whether it knows a position, has a small copy, and how the
/// picture is turned. Untrusted: every offset is checked.
private struct EXIFBlock {
  private(set) var orientation: Int?
  private(set) var hasPosition = false
  private(set) var hasThumbnail = false

  init(_ block: ArraySlice<UInt8>) {
    let data = Array(block)
    guard data.count >= 8 else { return }
    let isLittle = data.starts(with: "II".utf8)
    guard isLittle || data.starts(with: "MM".utf8) else { return }
    func number(_ offset: Int, _ size: Int) -> Int? {
      guard offset >= 0, offset <= data.count - size else { return nil }
      let part = data[offset..<offset + size]
      return (isLittle ? Array(part.reversed()) : Array(part)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard let first = number(4, 4), let count = number(first, 2) else { return }
    for place in 0..<count {
      let entry = first + 2 + 12 * place
      guard let tag = number(entry, 2) else { return }
      switch tag {
      case 0x0112: orientation = number(entry + 8, 2)
      case 0x8825: hasPosition = true
      default: break
      }
    }
    // The second directory describes the small copy.
    if let next = number(first + 2 + 12 * count, 4), next > 0 { hasThumbnail = number(next, 2) ?? 0 > 0 }
  }
}
