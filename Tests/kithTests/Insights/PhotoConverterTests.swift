// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithPosts
import TestSupport
import Testing

@testable import kith

/// Programs of this machine that make a JPEG of another picture: what they are told, and what they may use.
@Suite struct PhotoConverterTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "kith-photos-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Self.photo, to: folder.appending(path: "photo.jpg"))
  }

  private static let photo = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../KithPostsTests/Pictures/photo.jpg").standardized

  /// Adds a program that notes what it is told and which limits it has, and then does what a script says.
  private func add(_ program: String, _ script: String = "") throws {
    let file = folder.appending(path: program)
    let words = """
      #!/bin/sh
      cd "${0%/*}"
      echo "\(program) $*" >> calls
      echo "$(ulimit -v) $(ulimit -f) $(ulimit -t) $VIPS_BLOCK_UNTRUSTED $SECRET" >> limits
      \(script)
      for result; do case $result in *.jpg*) /bin/cp photo.jpg "${result%%[[]*}"; exit;; esac; done
      """
    // Another process writes the program: one that this process has open for writing cannot be started, and a child that is started
    // at the same time has it open, too.
    let draft = folder.appending(path: "draft").path()
    try Data(words.utf8).write(to: URL(filePath: draft))
    let copy = Process()
    copy.executableURL = URL(filePath: "/bin/sh")
    copy.arguments = ["-c", #"cp "$0" "$1" && chmod 755 "$1" && rm "$0""#, draft, file.path()]
    try copy.run()
    copy.waitUntilExit()
  }

  private func convert(
    _ kind: SourcePicture.Kind, file: [UInt8] = [1, 2, 3], most: Int = 1_000_000
  ) async throws -> Picture {
    let path = folder.path().hasSuffix("/") ? String(folder.path().dropLast()) : folder.path()
    let converter = try PhotoConverter(
      for: file, of: kind, named: "sea", because: "it is another type",
      in: ["PATH": "\(path):/usr/bin:/bin", "TMPDIR": path, "SECRET": "open-sesame"])
    return try await converter.photo(atMost: most)
  }

  /// The words of each call, with the temporary folder left out.
  private func said(_ file: String) throws -> [String] {
    try String(contentsOf: folder.appending(path: file), encoding: .utf8).split(separator: "\n").map { line in
      line.split(separator: " ").map { word in
        word.contains("/kith-picture")
          ? String(word.drop { $0 != "/" }.split(separator: "/").last ?? "") : String(word)
      }.joined(separator: " ")
    }
  }

  @Test(
    arguments: [
      (.jpeg, "jpegload"), (.png, "pngload"), (.webp, "webpload"), (.gif, "gifload"), (.tiff, "tiffload"),
      (.heic, "heifload"), (.avif, "heifload"),
    ] as [(SourcePicture.Kind, String)])
  func vipsIsToldTheReader(kind: SourcePicture.Kind, reader: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try add("vips")
    #expect(try await convert(kind).width == 48)
    let calls = try said("calls")
    #expect(calls.first == "vips \(reader) picture picture.v" && calls.count == 2)
    #expect(calls.last?.hasPrefix("vips thumbnail picture.v 4000.jpg[") == true)
    // Other readers are forbidden beside, and secrets stay here.
    #expect(try said("limits") == ["2097152 2097152 120 1", "2097152 2097152 120"])
  }

  @Test(arguments: SourcePicture.Kind.allCases)
  func imageMagickIsToldTheReader(kind: SourcePicture.Kind) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try add("convert")
    // BMP is what vips would look for a reader for.
    if kind == .bmp { try add("vips", "exit 1") }
    let path = folder.path().hasSuffix("/") ? String(folder.path().dropLast()) : folder.path()
    let converter = try PhotoConverter(
      for: [1], of: kind, named: "sea", because: "it is another type", in: ["PATH": path, "TMPDIR": path])
    #expect(try await converter.photo(atMost: 1_000_000).height == 32)
    let all = try String(contentsOf: folder.appending(path: "calls"), encoding: .utf8)
    #expect(
      all.hasPrefix("convert -limit memory 1GiB ") && all.contains(" \(kind.rawValue):\(path)/kith-picture"))
    #expect(all.split(separator: "\n").count == 1)
    #expect(try said("limits") == ["2097152 2097152 120"])
  }

  @Test func smallerSizesAreTriedUntilTheFileIsSmallEnough() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try add("vips")
    let fault = await #expect(throws: CommandFault.self) { try await convert(.gif, most: 10) }
    #expect(fault?.status == .badInput && fault?.message?.code == "photoProgramFailed")
    #expect(try said("calls").count == 6)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted() == [
        "calls", "limits", "photo.jpg", "vips",
      ])
  }

  @Test(arguments: ["exit 3", "kill -9 $$", "exit 0"])
  func aProgramThatFailsIsAnError(script: String) async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try add("convert", "\(script)\nexit 0")
    let path = folder.path().hasSuffix("/") ? String(folder.path().dropLast()) : folder.path()
    let converter = try PhotoConverter(
      for: [1], of: .bmp, named: "sea", because: "it is another type", in: ["PATH": path, "TMPDIR": path])
    let fault = await #expect(throws: CommandFault.self) { try await converter.photo(atMost: 1_000) }
    #expect(fault?.status == .badInput)
  }
}
