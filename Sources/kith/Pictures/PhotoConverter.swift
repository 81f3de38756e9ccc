// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KithCore
import KithPosts

/// Makes an upright JPEG of a picture that cannot be published as it is, with a program of this machine: libvips, or else
/// ImageMagick.
struct PhotoConverter {
  /// The packages of the programs, as Debian names them.
  static let packages = "libvips-tools or imagemagick"

  private let program: Program
  private let child: ChildProgram
  private let temporary: String
  private let file: [UInt8]
  private let name: String
  private let coder: String

  private enum Program: String, CaseIterable {
    case vips
    case magick, convert
  }

  /// Finds a program that can read a file.
  ///
  /// - Parameters:
  ///   - file: the content of the file.
  ///   - reason: why it has to be converted.
  /// - Throws: ``CommandFault`` for a file of an unknown type; `unavailable` if no program is installed.
  init(
    for file: [UInt8], named name: String, because reason: String, in environment: [String: String]
  ) throws(CommandFault) {
    guard let coder = Self.coder(of: file) else {
      throw CommandFault(.badInput, .unusablePicture(name, "it is no picture of a known type"))
    }
    (self.file, self.name, self.coder) = (file, name, coder)
    guard let found = ChildProgram.first(of: Program.self, in: environment, passing: Self.variables) else {
      throw CommandFault(.unavailable, .noPhotoProgram(name, reason, packages: Self.packages))
    }
    (program, child) = found
    temporary = environment["TMPDIR"] ?? "/tmp"
  }

  /// The longest time that the program gets for one attempt.
  private static let limit = Duration.seconds(60)
  /// The variables that it needs; others may be secrets.
  private static let variables: Set = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"]
  /// The lengths of the longer side that are tried, in pixels, until the file is small enough.
  private static let lengths = [4_000, 2_000, 1_400, 1_000, 600]

  /// The picture as JPEG of at most so many bytes, without metadata.
  ///
  /// - Throws: ``CommandFault`` if the program fails or takes too long, or if its files cannot be written;
  ///   `CancellationError`.
  func photo(atMost most: Int) async throws -> Picture {
    let files = try PictureConverter.temporaryFolder(temporary)
    defer { files.remove() }
    let folder = files.path
    let source = "\(folder)/picture"
    let draft = try OutputFile(path: source)
    try OutputDescriptor(number: draft.descriptor, name: source).write(file)
    try draft.finish()
    for length in Self.lengths {
      let result = "\(folder)/\(length).jpg"
      let status = try await child.run(
        words(source, result, length), atMost: Self.limit,
        orThrow: { fault($0) })
      guard status == 0, let bytes = FileManager.default.contents(atPath: result),
        let picture = try? Picture(Array(bytes))
      else { throw fault(status) }
      if picture.bytes.count <= most { return picture }
    }
    throw fault(0)
  }

  private func words(_ source: String, _ result: String, _ length: Int) -> [String] {
    switch program {
    case .vips: ["thumbnail", source, "\(result)[Q=88,strip]", "\(length)", "--size", "down"]
    case .magick, .convert:
      // The type is named, so that no other reader of the program is tried on the file.
      [
        "-limit", "memory", "1GiB", "-limit", "time", "60", "\(coder):\(source)[0]", "-auto-orient",
        "-background",
        "white", "-flatten", "-resize", "\(length)x\(length)>", "-quality", "88", "-strip", result,
      ]
    }
  }

  /// The name that ImageMagick has for the type of a file; nil if it is none that cameras and programs make pictures in.
  private static func coder(of file: [UInt8]) -> String? {
    func has(_ text: String, at place: Int = 0) -> Bool { file.dropFirst(place).starts(with: text.utf8) }
    if file.starts(with: [0xFF, 0xD8]) { return "jpeg" }
    if has("PNG", at: 1) { return "png" }
    if has("WEBP", at: 8) { return "webp" }
    if has("GIF8") { return "gif" }
    if has("BM") { return "bmp" }
    if has("II*\0") || has("MM\0*") { return "tiff" }
    guard has("ftyp", at: 4) else { return nil }
    return has("avif", at: 8) ? "avif" : "heic"
  }

  private func fault(_ status: Int32) -> CommandFault {
    CommandFault(.badInput, .photoProgramFailed(name, program.rawValue, status: status))
  }
}
