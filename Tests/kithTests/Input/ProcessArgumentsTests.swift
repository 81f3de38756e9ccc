// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import kith

@Suite struct ProcessArgumentsTests {
  @Test(arguments: [
    ("kith\0", ["kith"]), ("kith\0follow\0\0x y\0", ["kith", "follow", "", "x y"]), ("", []),
  ])
  func readsTheListOfTheSystem(bytes: String, arguments: [String]) {
    #expect(ProcessArguments.listed(in: Array(bytes.utf8)) == arguments)
  }

  /// Swift finds no arguments if the environment is not behind them, as after `setenv` in a preloaded library.
  @Test func aPreloadedLibraryThatChangesTheEnvironmentHidesNoArguments() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-preload-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (source, library) = (folder.appending(path: "p.c"), folder.appending(path: "p.so"))
    try """
    int setenv(const char *, const char *, int);
    __attribute__((constructor)) static void move(void) { setenv("PRELOADED", "1", 1); }
    """.write(to: source, atomically: true, encoding: .utf8)
    let compiler = Process()
    compiler.executableURL = URL(filePath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-o", library.path(), source.path()]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    let run = try await KithRun(["check"], environment: ["LD_PRELOAD": library.path()])
    #expect(run.status == 64)
    let version = try await KithRun(["--version"], environment: ["LD_PRELOAD": library.path()])
    #expect(version.status == 0 && version.output.split(separator: "\n").count == 1)
  }
}
