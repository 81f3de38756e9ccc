// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What `make` does before it builds: `Scripts/require`, with stub commands that record their calls.
@Suite final class RequireScriptTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "kith-require-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: folder) }

  private struct Run {
    let status: Int32
    let said: String
    let calls: [String]
  }

  /// Runs it on a machine without any of Kith's dependencies.
  ///
  /// - Parameter user: the output of `id -u`.
  private func require(
    user: Int = 1_000, without absent: Set<String> = [], environment: [String: String] = [:]
  ) throws -> Run {
    let log = folder.appending(path: "log")
    let commands = [
      "swift": "echo 'Swift version 6.2'", "pkg-config": "exit 1", "id": "echo \(user)",
      "apt-get": "echo \"apt-get $*\" >> '\(log.path())'",
      "sudo": "echo sudo >> '\(log.path())'; exec \"$@\"",
    ]
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data().write(to: log)
    for (name, text) in commands where !absent.contains(name) {
      let file = folder.appending(path: name)
      try Data("#!/bin/bash\n\(text)\n".utf8).write(to: file)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path())
    }
    try? FileManager.default.createSymbolicLink(
      at: folder.appending(path: "env"), withDestinationURL: URL(filePath: "/usr/bin/env"))
    let process = Process()
    let errors = Pipe()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Scripts/require").path(),
      "build",
    ]
    process.environment = environment.merging(["PATH": folder.path()]) { _, path in path }
    process.standardError = errors
    try process.run()
    let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let calls = try String(contentsOf: log, encoding: .utf8).split(separator: "\n").map(String.init)
    return Run(status: process.terminationStatus, said: said, calls: calls)
  }

  @Test func saysWhatItInstallsAndHowToPreventThat() throws {
    let run = try require()
    #expect(run.status == 0)
    for word in ["libcurl4-openssl-dev", "libssl-dev", "KITH_NO_INSTALL=1"] {
      #expect(run.said.contains(word))
    }
    #expect(run.calls.filter { $0.hasPrefix("apt-get install") }.count == 1)
    #expect(run.calls.contains("sudo"))
  }

  @Test func installsNothingIfForbidden() throws {
    let run = try require(environment: ["KITH_NO_INSTALL": "1"])
    #expect(run.status == 1)
    #expect(run.calls.isEmpty)
    let command = try #require(run.said.split(separator: "\n").last).split(separator: " ")
    #expect(command.starts(with: ["sudo", "apt-get", "install", "-y", "--no-install-recommends"]))
    #expect(command.contains("libcurl4-openssl-dev") && command.contains("libssl-dev"))
  }

  @Test(arguments: ["apt-get", "sudo"]) func reportsWhatIsMissingIfItCannotInstall(absent: String) throws {
    let run = try require(without: [absent])
    #expect(run.status == 1)
    #expect(run.calls.isEmpty)
    #expect(run.said.contains("libcurl4-openssl-dev"))
  }

  @Test func buildsNothingAsRootForAnotherUser() throws {
    let run = try require(user: 0, environment: ["SUDO_USER": "alice"])
    #expect(run.status == 1)
    #expect(run.calls.isEmpty)
    #expect(run.said.contains("sudo"))
    // Root may build for itself, as in a container.
    #expect(try require(user: 0).status == 0)
  }
}
