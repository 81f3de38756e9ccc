// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc
import KithCore
import KithInsights

/// Makes a PNG of an SVG with a program of this machine: rsvg-convert, or else Chromium.
struct PictureConverter {
  /// The package of the smaller program, as Debian names it.
  static let package = "librsvg2-bin"

  private let program: Program
  private let child: ChildProgram
  private let temporary: String

  private enum Program: String, CaseIterable {
    case rsvg = "rsvg-convert"
    case chromium, chrome = "google-chrome", browser = "chromium-browser"
  }

  /// Finds a program.
  ///
  /// - Throws: ``CommandFault`` `unavailable` if there is none.
  init(in environment: [String: String]) throws(CommandFault) {
    guard let found = ChildProgram.first(of: Program.self, in: environment, passing: Self.variables) else {
      throw CommandFault(.unavailable, .noPictureProgram(package: Self.package))
    }
    (program, child) = found
    temporary = environment["TMPDIR"] ?? "/tmp"
  }

  /// The longest time that the program gets.
  private static let limit = Duration.seconds(60)
  /// The variables that it needs; others may be secrets.
  private static let variables: Set = [
    "PATH", "HOME", "TMPDIR", "LANG", "LC_ALL", "XDG_DATA_DIRS", "XDG_CACHE_HOME",
  ]

  /// The picture as PNG.
  ///
  /// - Throws: ``CommandFault`` if the program fails or takes too long, or if its files cannot be written;
  ///   `CancellationError`.
  func png(of svg: String) async throws -> [UInt8] {
    let files = try Self.temporaryFolder(temporary)
    // Chromium keeps a profile there.
    defer { files.remove() }
    let folder = files.path
    let (drawing, picture) = ("\(folder)/picture.svg", "\(folder)/picture.png")
    let file = try OutputFile(path: drawing)
    try OutputDescriptor(number: file.descriptor, name: drawing).write(Array(svg.utf8))
    try file.finish()
    let status = try await child.run(
      words(drawing, picture, folder), atMost: Self.limit, orThrow: { fault($0) })
    guard status == 0, let bytes = FileManager.default.contents(atPath: picture), !bytes.isEmpty else {
      throw fault(status)
    }
    return Array(bytes)
  }

  private func words(_ drawing: String, _ picture: String, _ folder: String) -> [String] {
    let (width, height) = InsightReport.pictureSize
    switch program {
    case .rsvg:
      return ["--width=\(width)", "--height=\(height)", "--format=png", "--output=\(picture)", drawing]
    case .chromium, .chrome, .browser:
      // It refuses to run as root with its own protection; it opens no page but this file.
      return ["--headless", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=\(folder)/profile"]
        + (geteuid() == 0 ? ["--no-sandbox"] : [])
        + ["--window-size=\(width),\(height)", "--screenshot=\(picture)", "file://\(drawing)"]
    }
  }

  private func fault(_ status: Int32) -> CommandFault {
    CommandFault(.unavailable, .pictureProgramFailed(program.rawValue, status: status))
  }

  /// A folder for what goes to a program and what comes back, which no other user can exchange.
  static func temporaryFolder(_ parent: String) throws(CommandFault) -> TemporaryFolder {
    do throws(SecureFolderError) { return try TemporaryFolder(named: "kith-picture", in: parent) } catch {
      throw CommandFault(error)
    }
  }
}
