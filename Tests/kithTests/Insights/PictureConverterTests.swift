// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import kith

/// Programs of this machine that make a PNG of a drawing.
@Suite struct PictureConverterTests {
  /// A folder with a program that does what a script says.
  private func folder(_ program: String, _ script: String) throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-programs-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: program)
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path())
    return folder
  }

  private func converter(_ folder: URL) throws -> PictureConverter {
    try PictureConverter(in: ["PATH": "\(folder.path()):/nowhere", "TMPDIR": folder.path()])
  }

  @Test func aMissingProgramIsNamedWithItsPackage() throws {
    let fault = #expect(throws: CommandFault.self) { try PictureConverter(in: ["PATH": "/nowhere::"]) }
    #expect(fault?.status == .unavailable)
    #expect(fault?.message?.text.contains("librsvg2-bin") == true)
  }

  @Test(arguments: [
    (
      "rsvg-convert",
      "for word; do case $word in --output=*) out=${word#--output=};; *) last=$word;; esac; done"
    ),
    (
      "chromium",
      "for word; do case $word in --screenshot=*) out=${word#--screenshot=};; *) last=${word#file://};; esac; done"
    ),
  ])
  func thePictureIsWhatTheProgramWrites(program: String, words: String) async throws {
    let folder = try folder(
      program, "\(words)\nread -r line < \"$last\"; printf 'picture of %s' \"$line\" > \"$out\"")
    defer { try? FileManager.default.removeItem(at: folder) }
    let picture = try await converter(folder).png(of: "<svg/>\n")
    #expect(String(decoding: picture, as: UTF8.self) == "picture of <svg/>")
    // Nothing is left but the program.
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()) == [program])
  }

  @Test(arguments: ["exit 3", "kill -9 $$", "true"])
  func aProgramThatFailsIsAnError(script: String) async throws {
    let folder = try folder("rsvg-convert", script)
    defer { try? FileManager.default.removeItem(at: folder) }
    let converter = try converter(folder)
    let fault = await #expect(throws: CommandFault.self) { try await converter.png(of: "<svg/>") }
    #expect(fault?.status == .unavailable)
  }
}
