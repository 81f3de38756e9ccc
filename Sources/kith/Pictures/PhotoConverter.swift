// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KithCore
import KithPosts

/// Makes an upright JPEG of a picture that cannot be published as it is, with a program of this machine: libvips, or else
/// ImageMagick.
///
/// The file may be anyone's. The program is told which reader to use, so that it never looks for one that fits: among them are some for
/// drawings, documents and programs. What it may use is limited.
struct PhotoConverter {
  /// The packages of the programs, as Debian names them.
  static let packages = "libvips-tools or imagemagick"

  /// The names of the programs.
  private enum Program: String, CaseIterable {
    case vips
    case magick, convert

    /// Whether it has a reader for a type. For BMP, vips asks another program to find one.
    func reads(_ kind: SourcePicture.Kind) -> Bool { self != .vips || kind != .bmp }
  }

  private let program: Program
  private let child: ChildProgram
  private let temporary: String
  private let file: [UInt8]
  private let name: String
  private let kind: SourcePicture.Kind

  /// Finds a program that can read a file.
  ///
  /// - Parameters:
  ///   - file: the content of the file.
  ///   - kind: its type.
  ///   - reason: why it has to be converted.
  /// - Throws: ``CommandFault`` `unavailable` if no program is installed.
  init(
    for file: [UInt8], of kind: SourcePicture.Kind, named name: String, because reason: String,
    in environment: [String: String]
  ) throws(CommandFault) {
    (self.file, self.kind, self.name) = (file, kind, name)
    guard
      let found = ChildProgram.first(
        of: Program.self, in: environment, passing: Self.variables, where: { $0.reads(kind) })
    else {
      throw CommandFault(.unavailable, .noPhotoProgram(name, reason, packages: Self.packages))
    }
    var child = found.child
    child.environment.merge(Self.modesty) { $1 }
    child.limits = Self.limits
    (program, self.child) = (found.name, child)
    temporary = environment["TMPDIR"] ?? "/tmp"
  }

  /// The longest time that the program gets for all attempts together.
  private static let limit = Duration.seconds(60)
  /// What it may use: enough for the largest picture, and a file of its pixels.
  private static let limits = ChildProgram.Limits(memory: 2 << 30, file: 1 << 30, processorTime: 120)
  /// The variables that it needs; others may be secrets.
  private static let variables: Set = ["PATH", "HOME", "TMPDIR", "LANG", "LC_ALL"]
  /// Few threads, so that their memory does not count more than the picture.
  private static let modesty = ["VIPS_CONCURRENCY": "2", "OMP_NUM_THREADS": "2", "MALLOC_ARENA_MAX": "2"]
  /// The lengths of the longer side that are tried, in pixels, until the file is small enough.
  private static let lengths = [4_000, 2_000, 1_400, 1_000, 600]

  /// The picture as JPEG of at most this many bytes, without metadata.
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
    let end = ContinuousClock.now + Self.limit
    let pixels = try await read(source, until: end)
    for length in Self.lengths {
      let result = "\(folder)/\(length).jpg"
      let status = try await run(child, words(pixels, result, length), until: end)
      guard status == 0, let bytes = FileManager.default.contents(atPath: result),
        let picture = try? Picture(Array(bytes)), !picture.endsEarly
      else { throw fault(status) }
      if picture.bytes.count <= most { return picture }
    }
    throw fault(0)
  }

  private func run(
    _ child: ChildProgram, _ words: [String], until end: ContinuousClock.Instant
  ) async throws -> Int32 {
    try await child.run(words, atMost: end - .now, orThrow: { fault($0) })
  }

  /// Reads the file with the reader of its type, and keeps its pixels for vips; ImageMagick does it in one step.
  private func read(_ source: String, until end: ContinuousClock.Instant) async throws -> String {
    guard program == .vips else { return source }
    var reader = child
    // Older versions do not know it; a reader is named in any case.
    reader.environment["VIPS_BLOCK_UNTRUSTED"] = "1"
    let pixels = "\(source).v"
    let status = try await run(reader, ["\(kind.reader)load", source, pixels], until: end)
    guard status == 0 else { throw fault(status) }
    return pixels
  }

  private func words(_ source: String, _ result: String, _ length: Int) -> [String] {
    switch program {
    case .vips:
      // Colours become those that apps expect of a file without a profile.
      [
        "thumbnail", source, "\(result)[Q=88,strip,background=255]", "\(length)", "--size", "down",
        "--export-profile", "srgb",
      ]
    case .magick, .convert:
      [
        "-limit", "memory", "1GiB", "-limit", "map", "1GiB", "-limit", "disk", "1GiB",
        "-limit", "width", "65535", "-limit", "height", "65535", "-limit", "time", "60",
        "\(kind.rawValue):\(source)[0]", "-auto-orient", "-background", "white", "-flatten",
        "-resize", "\(length)x\(length)>", "-quality", "88", "+profile", "!icc,*", result,
      ]
    }
  }

  private func fault(_ status: Int32) -> CommandFault {
    CommandFault(.badInput, .photoProgramFailed(name, program.rawValue, status: status))
  }
}

extension SourcePicture.Kind {
  /// The name that vips has for it.
  fileprivate var reader: String { self == .heic || self == .avif ? "heif" : rawValue }
}
