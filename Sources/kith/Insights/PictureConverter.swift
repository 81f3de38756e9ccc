// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FoundationEssentials
import Glibc
import KithInsights

/// Makes a PNG of an SVG with a program of this machine: rsvg-convert, or else Chromium.
struct PictureConverter {
  /// The package of the smaller program, as Debian names it.
  static let package = "librsvg2-bin"

  private let program: Program
  private let path: String
  private let environment: [String: String]

  private enum Program: String, CaseIterable {
    case rsvg = "rsvg-convert"
    case chromium, chrome = "google-chrome", browser = "chromium-browser"
  }

  /// Finds a program.
  ///
  /// - Throws: ``CommandFault`` `unavailable` if there is none.
  init(in environment: [String: String]) throws(CommandFault) {
    let folders = (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
    for program in Program.allCases {
      for folder in folders where access("\(folder)/\(program.rawValue)", X_OK) == 0 {
        (self.program, path) = (program, "\(folder)/\(program.rawValue)")
        self.environment = environment
        return
      }
    }
    throw CommandFault(.unavailable, .noPictureProgram(package: Self.package))
  }

  /// The picture as PNG.
  ///
  /// - Throws: ``CommandFault`` if the program fails, or if there is no room for its files.
  func png(of svg: String) async throws(CommandFault) -> [UInt8] {
    let folder = try Self.temporaryFolder(environment["TMPDIR"] ?? "/tmp")
    let (drawing, picture) = ("\(folder)/picture.svg", "\(folder)/picture.png")
    defer {
      // Chromium keeps a profile there.
      try? FileManager.default.removeItem(atPath: folder)
    }
    let file = try OutputFile(path: drawing)
    try OutputDescriptor(number: file.descriptor, name: drawing).write(Array(svg.utf8))
    try file.finish()
    let status = await Self.run(words(drawing, picture, folder), environment)
    guard status == 0, let bytes = Self.contents(of: picture), !bytes.isEmpty else {
      throw CommandFault(.unavailable, .pictureProgramFailed(program.rawValue, status: status))
    }
    return bytes
  }

  private func words(_ drawing: String, _ picture: String, _ folder: String) -> [String] {
    let (width, height) = InsightReport.pictureSize
    switch program {
    case .rsvg:
      return [path, "--width=\(width)", "--height=\(height)", "--format=png", "--output=\(picture)", drawing]
    case .chromium, .chrome, .browser:
      // It refuses to run as root with its own protection; it opens no page but this file.
      return [path, "--headless", "--disable-gpu", "--hide-scrollbars", "--user-data-dir=\(folder)/profile"]
        + (geteuid() == 0 ? ["--no-sandbox"] : [])
        + ["--window-size=\(width),\(height)", "--screenshot=\(picture)", "file://\(drawing)"]
    }
  }

  /// Runs a program without output and waits for its end.
  ///
  /// - Returns: its exit status; 128 plus the number of the signal that ended it; 127 if it could not be started.
  private static func run(_ words: [String], _ environment: [String: String]) async -> Int32 {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(returning: wait(for: words, environment)) }
    }
  }

  private static func wait(for words: [String], _ environment: [String: String]) -> Int32 {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    guard posix_spawn(&child, words[0], &actions, nil, &arguments, &variables) == 0 else { return 127 }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    let signal = status & 0x7F
    return signal == 0 ? status >> 8 & 0xFF : 128 + signal
  }

  private static func temporaryFolder(_ parent: String) throws(CommandFault) -> String {
    var template = Array("\(parent)/kith-picture-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFault(.fileTrouble, .systemError(parent, String(cString: strerror(errno))))
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  private static func contents(of path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var (bytes, part) = ([UInt8](), [UInt8](repeating: 0, count: 65_536))
    while true {
      let count = read(file, &part, part.count)
      if count == 0 { return bytes }
      if count < 0 { return nil }
      bytes += part[..<count]
    }
  }
}
