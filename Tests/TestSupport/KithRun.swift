// SPDX-License-Identifier: Apache-2.0

package import Foundation
import KithCore

/// One run of `kith` from start to end, as a process unless it says otherwise.
///
/// The environment only contains what the test sets, so variables of the user or machine have no effect; home
/// and XDG folders are temporary. Waits are shortened, and signals have their default action.
package struct KithRun: Sendable {
  /// The exit status; 128 plus the signal number if a signal ended it.
  package let status: Int32
  /// The output on stdout.
  package let output: String
  /// The output on stderr: one JSON message per line, unless the test asks for text.
  package let talk: String

  /// A run that has ended.
  package init(status: Int32, output: String, talk: String) {
    self.status = status
    self.output = output
    self.talk = talk
  }

  /// Starts `kith` and waits for its end; cancelling the task ends it.
  ///
  /// - Parameters:
  ///   - arguments: The verb first.
  ///   - program: The path of another copy of `kith`.
  ///   - input: The contents of stdin.
  ///   - meddle: Runs while the process runs; cancelled when it ends.
  package init(
    _ arguments: [String], of program: String = executable, environment: [String: String] = [:],
    input: String = "",
    meddling meddle: (@Sendable (Victim) async throws -> Void)? = nil
  ) async throws {
    let home = try Self.newHome()
    defer { try? FileManager.default.removeItem(at: home) }
    let process = Process()
    // A script that runs tests in the background makes them, and their child processes, ignore SIGINT.
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["--default-signal=INT,TERM,HUP", program] + arguments
    process.environment = Self.baseEnvironment(home: home).merging(environment) { _, named in named }
    // Files instead of pipes: neither side ever waits for the other.
    let (stdin, stdout, stderr) = (
      home.appending(path: "in"), home.appending(path: "out"), home.appending(path: "err")
    )
    try Data(input.utf8).write(to: stdin)
    for file in [stdout, stderr] { try Data().write(to: file) }
    process.standardInput = try FileHandle(forReadingFrom: stdin)
    process.standardOutput = try FileHandle(forWritingTo: stdout)
    process.standardError = try FileHandle(forWritingTo: stderr)
    let victim = Victim(process: process)
    let meddling = PosixMutex<Task<Void, any Error>?>(nil)
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
        process.terminationHandler = { _ in ended.resume() }
        do {
          try process.run()
          // If the task is cancelled before that, there is no process to end.
          if Task.isCancelled { victim.send(SIGTERM) }
          if let meddle {
            meddling.withLock { $0 = Task { try await meddle(victim) } }
          }
        } catch {
          process.terminationHandler = nil
          ended.resume(throwing: error)
        }
      }
    } onCancel: {
      victim.send(SIGTERM)
    }
    if let meddling = meddling.withLock({ $0 }) {
      meddling.cancel()
      do { try await meddling.value } catch is CancellationError {}
    }
    status = (process.terminationReason == .exit ? 0 : 128) + process.terminationStatus
    output = String(decoding: try Data(contentsOf: stdout), as: UTF8.self)
    talk = String(decoding: try Data(contentsOf: stderr), as: UTF8.self)
  }

  /// A run in progress.
  package struct Victim: Sendable {
    let process: Process

    /// Its process.
    package var number: Int32 { process.processIdentifier }

    /// Sends a signal, unless the process has not started or has ended.
    package func send(_ signal: Int32) {
      let number = number
      if number > 0, process.isRunning { kill(number, signal) }
    }
  }

  /// The rows of an NDJSON output.
  package func rows<Row: Decodable>(_ type: Row.Type) throws -> [Row] {
    try output.split(separator: "\n").map { try JSONDecoder().decode(type, from: Data($0.utf8)) }
  }

  /// The path of the built command, which is beside the tests' own executable. Tests against the servers of `KITH_NETWORK`
  /// shorten no waits, so they run the release program in the folder `KITH_PROGRAMS`, if that is set.
  package static let executable: String = {
    let environment = ProcessInfo.processInfo.environment
    let folder =
      environment["KITH_NETWORK"] == nil ? nil : environment["KITH_PROGRAMS"].map { URL(filePath: $0) }
    let beside = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    return (folder ?? beside).appending(path: "kith").path()
  }()

  /// Makes a debug build of `kith` wait a fiftieth of each of its waits, so tests cover waits without
  /// spending the time. Servers in other processes keep real time; tests against them run with
  /// `KITH_TEST_SPEED=1`.
  package static let shortenedWaits = [
    "KITH_TEST_SPEED": ProcessInfo.processInfo.environment["KITH_TEST_SPEED"] ?? "50"
  ]

  /// Creates the home folder of a run.
  package static func newHome() throws -> URL {
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-run-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    return home
  }

  /// The variables of each run.
  package static func baseEnvironment(home: URL) -> [String: String] {
    let inherited = ProcessInfo.processInfo.environment.filter {
      ["PATH", "LD_LIBRARY_PATH", "TSAN_OPTIONS", "ASAN_OPTIONS"].contains($0.key)
    }
    let own = ["HOME": home.path(), "LANG": "C.UTF-8", "KITH_MESSAGES": "json"]
    return inherited.merging(own) { _, new in new }.merging(shortenedWaits) { _, new in new }
  }
}
