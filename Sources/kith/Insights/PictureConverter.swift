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
    let folder = try Self.temporaryFolder(environment["TMPDIR"] ?? "/tmp")
    let (drawing, picture) = ("\(folder)/picture.svg", "\(folder)/picture.png")
    defer {
      // Chromium keeps a profile there.
      try? FileManager.default.removeItem(atPath: folder)
    }
    let file = try OutputFile(path: drawing)
    try OutputDescriptor(number: file.descriptor, name: drawing).write(Array(svg.utf8))
    try file.finish()
    let status = try await status(of: words(drawing, picture, folder))
    guard status == 0, let bytes = FileManager.default.contents(atPath: picture), !bytes.isEmpty else {
      throw fault(status)
    }
    return Array(bytes)
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

  private func fault(_ status: Int32) -> CommandFault {
    CommandFault(.unavailable, .pictureProgramFailed(program.rawValue, status: status))
  }

  /// Runs the program without output and waits for its end; it is killed if the task is cancelled.
  ///
  /// - Returns: its exit status; 128 plus the number of the signal that ended it; 127 if it could not be started.
  private func status(of words: [String]) async throws -> Int32 {
    guard let child = start(words) else { return 127 }
    do {
      return try await BlockingCall.run(atMost: Self.limit, orThrow: fault(128 + SIGKILL)) {
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? status >> 8 & 0xFF : 128 + signal
      }
    } catch {
      kill(child, SIGKILL)
      throw error
    }
  }

  private func start(_ words: [String]) -> pid_t? {
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    var variables: [UnsafeMutablePointer<CChar>?] =
      environment.filter { Self.variables.contains($0.key) }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in arguments + variables { free(text) } }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var child = pid_t()
    return posix_spawn(&child, words[0], &actions, nil, &arguments, &variables) == 0 ? child : nil
  }

  private static func temporaryFolder(_ parent: String) throws(CommandFault) -> String {
    var template = Array("\(parent)/kith-picture-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw CommandFault(.fileTrouble, .systemError(parent, String(cString: strerror(errno))))
    }
    return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
