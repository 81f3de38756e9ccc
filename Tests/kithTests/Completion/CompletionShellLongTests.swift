// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import kith

/// Completion as a person at a terminal meets it; `Scripts/require shells` installs the shells.
@Suite struct CompletionShellLongTests {
  @Test(arguments: ["bash", "zsh", "fish"])
  func tabCompletesAUniqueBeginning(shell: String) async throws {
    let alice = try await SignedInRun()
    #expect(try await alice.kith(["lists", "create", "My Friends", "--purpose", "curate"]).status == 0)
    #expect(try await alice.kith("lists").status == 0)
    #expect(try await alice.kith("segments add loyal mutual").status == 0)
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-shell-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("handle,Full Name\na,b\n".utf8).write(to: folder.appending(path: "names.csv"))
    let script = folder.appending(path: "completion")
    try Data(try await KithRun(["completion", shell]).output.utf8).write(to: script)
    let cases = [
      ("kith check --account al", "<check><--account><alice.test>"),
      ("kith followers m", "<followers><me>"),
      ("kith jobs undo ", "<jobs><undo><1>"),
      ("kith lists show My", "<lists><show><My Friends>"),
      ("kith segments remove lo", "<segments><remove><loyal>"),
      ("kith check me --from names.csv --column Fu", "<check><me><--from><names.csv><--column><Full Name>"),
      ("kith help unfo", "<help><unfollow>"),
      ("kith help jobs und", "<help><jobs><undo>"),
      ("kith check me --format nd", "<check><me><--format><ndjson>"),
    ]
    for (line, arguments) in cases {
      #expect(try press(shell, script, line, in: folder, alice.environment) == arguments, "\(shell): \(line)")
    }
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func theSandboxCompletesItsOwnOptions(shell: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-shell-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = URL(filePath: KithRun.executable).deletingLastPathComponent().appending(
      path: "kith-sandbox")
    let script = folder.appending(path: "completion")
    let made = try await KithRun(["--generate-completion-script", shell], of: program.path())
    try Data(made.output.utf8).write(to: script)
    for (line, arguments) in [
      ("kith-sandbox de", "<demo>"), ("kith-sandbox run --dialect arr", "<run><--dialect><arroba>"),
    ] {
      #expect(try press(shell, script, line, in: folder, [:], of: program) == arguments, "\(shell): \(line)")
    }
  }

  /// Names of strangers: in a header, in file names, and in lists.
  @Test(arguments: ["bash", "zsh", "fish"])
  func hostileNamesStayText(shell: String) async throws {
    let hostile = [
      "aa $(touch PWNED)", "bb `touch PWNED`", "cc ${x[$(touch PWNED)]}", "dd * ~", "ee it's", #"ff "q" \z"#,
      "gg; touch PWNED", "hh & <(touch PWNED)", "$(touch PWNED) ii", "`touch PWNED` jj", "~ kk", "* ll",
    ]
    let alice = try await SignedInRun()
    for name in hostile + ["mm \u{1B}]0;own\u{7}"] {
      _ = try await alice.kith(["lists", "create", name, "--purpose", "curate"])
    }
    #expect(try await alice.kith("lists").status == 0)
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-shell-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cells = hostile + ["mm \u{1B}]0;own\u{7}", "nn\nPWN"]
    let header = cells.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: ",")
    try Data("handle,\(header)\na,b\n".utf8).write(to: folder.appending(path: "names.csv"))
    try Data("handle\n".utf8).write(to: folder.appending(path: "oo $(touch PWNED).csv"))
    let script = folder.appending(path: "completion")
    try Data(try await KithRun(["completion", shell]).output.utf8).write(to: script)
    func pressed(_ line: String) throws -> String {
      try press(shell, script, line, in: folder, alice.environment)
    }
    // In fish, an asterisk in quotes is a pattern, too, which all of these names match.
    for name in hostile where shell != "fish" || !name.hasPrefix("*") {
      let quoted = name.first?.isLetter == true ? String(name.prefix(2)) : "'\(name.prefix(2))"
      #expect(try pressed("kith lists show \(quoted)") == "<lists><show><\(name)>", "\(shell): \(name)")
      #expect(
        try pressed("kith check me --from names.csv --column \(quoted)")
          == "<check><me><--from><names.csv><--column><\(name)>", "\(shell): \(name)")
    }
    for start in ["mm", "nn"] {
      #expect(try pressed("kith lists show \(start)") == "<lists><show><\(start)>")
    }
    #expect(try pressed("kith lists show \"aa") == "<lists><show><aa $(touch PWNED)>")
    #expect(
      try pressed("kith check me --from oo") == "<check><me><--from><oo $(touch PWNED).csv>", "\(shell)")
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "PWNED").path()))
  }

  private func press(
    _ shell: String, _ script: URL, _ line: String, in folder: URL, _ environment: [String: String],
    of program: URL = URL(filePath: KithRun.executable)
  ) throws -> String {
    let driver = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "complete.exp").path()
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["expect", driver, shell, script.path(), line]
    // The script for fish looks for the command itself, past functions.
    let inherited = ProcessInfo.processInfo.environment
    let path =
      "\(URL(filePath: KithRun.executable).deletingLastPathComponent().path()):\(inherited["PATH"] ?? "")"
    let own = [
      "KITH": program.path(), "NAME": program.lastPathComponent, "HOME": folder.path(), "PATH": path,
    ]
    process.environment = inherited.merging(environment) { _, own in own }.merging(own) { _, own in own }
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}
