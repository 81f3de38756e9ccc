// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import kith
@testable import kith_manual

/// What formatters say about the pages; `Scripts/require shells` installs them.
@Suite final class ManualLintLongTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "kith-manual-\(UUID().uuidString)")

  init() throws {
    let manual = try Manual(json: Data(Kith._dumpHelp().utf8), version: "1.0.0", date: "2026-01-31")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for page in manual.pages { try Data(page.text.utf8).write(to: folder.appending(path: page.fileName)) }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test(arguments: [
    "mandoc -T lint *.1", "groff -mandoc -ww -Tutf8 *.1 >/dev/null",
    "for page in *.1; do man --warnings -l $page >/dev/null; done",
  ])
  func noFormatterWarns(command: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-euc", command]
    process.currentDirectoryURL = folder
    (process.standardOutput, process.standardError) = (output, output)
    try process.run()
    let said = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(said.isEmpty, "\(said.prefix(2_000))")
  }
}
