// SPDX-License-Identifier: Apache-2.0

import KithOperations
import KithPosts

extension Message {
  /// What would be published of a picture, and what not.
  ///
  /// - Parameters:
  ///   - conversion: why it was converted; nil if it was not.
  ///   - frames: how many pictures the file is.
  ///   - alt: what it shows, empty for nothing; nil for the picture of an account, which has no description.
  static func picturePreview(
    _ file: String, _ picture: Picture, conversion: String?, frames: Int, alt: String?
  ) -> Message {
    let removed = Picture.Metadata.allCases.filter(picture.removed.contains)
    let parts = [
      conversion.map { "converted: \($0)" },
      frames > 1 ? "only the first of \(frames) pictures of the animation is shown" : nil,
      picture.endsEarly ? "the file ends early: a part of the picture may be missing" : nil,
      removed.isEmpty ? nil : "removed: \(removed.map(\.words).joined(separator: ", "))",
      alt.map { $0.isEmpty ? "without a description" : "description: \($0)" },
    ]
    return Message(
      .note, .picturePreview,
      ([
        "\(file): \(picture.kind.rawValue), \(picture.width) x \(picture.height) pixels, \(picture.bytes.count) bytes"
      ] + parts.compactMap(\.self)).joined(separator: "; "),
      [
        "file": .string(file), "type": .string(picture.kind.mimeType),
        "width": .integer(picture.width),
        "height": .integer(picture.height), "bytes": .integer(picture.bytes.count),
        "removed": .array(removed.map { .string($0.rawValue) }), "alt": .text(alt),
        "conversion": .text(conversion), "frames": .integer(frames), "endsEarly": .bool(picture.endsEarly),
      ])
  }

  static func unusablePicture(_ file: String, _ reason: String) -> Message {
    Message(
      .error, .unusablePicture, "\(file): \(reason)", ["file": .string(file), "reason": .string(reason)])
  }

  static func noPhotoProgram(_ file: String, _ reason: String, packages: String) -> Message {
    Message(
      .error, .noPhotoProgram,
      "\(file): \(reason); that takes vips or convert: install \(packages), or convert it yourself",
      ["file": .string(file), "reason": .string(reason), "packages": .string(packages)])
  }

  /// - Parameter status: the exit status of the program; 128 and more for a signal.
  static func photoProgramFailed(_ file: String, _ program: String, status: Int32) -> Message {
    Message(
      .error, .photoProgramFailed,
      "\(file): \(program) did not make a picture of it that is small enough (exit status \(status)); it may be damaged",
      ["file": .string(file), "program": .string(program), "status": .integer(Int(status))])
  }
}

extension Picture.Metadata {
  fileprivate var words: String {
    switch self {
    case .position: "where it was taken"
    case .exif: "camera data (EXIF)"
    case .thumbnail: "a small copy"
    case .xmp: "notes of programs (XMP)"
    case .iptc: "captions (IPTC)"
    case .text: "texts"
    case .time: "the time of the last change"
    case .profile: "names in its colour profile"
    case .other: "data of other programs"
    }
  }
}
