// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One run of a script in `harness/`, from start to end.
struct HarnessProcess {
  let status: Int32
  /// Its stdout.
  let output: String
  /// Its stderr.
  let talk: String

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "harness")

  init(_ script: String, _ arguments: [String], environment: [String: String] = [:]) async throws {
    // Files instead of pipes: servers that a script leaves running would keep a pipe open.
    let files = FileManager.default.temporaryDirectory.appending(path: "kith-harness-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: files) }
    let (out, err) = (files.appending(path: "out"), files.appending(path: "err"))
    for file in [out, err] { try Data().write(to: file) }
    let process = Process()
    process.executableURL = Self.folder.appending(path: script)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, named in named }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: err)
    try await withCheckedThrowingContinuation { (ended: CheckedContinuation<Void, any Error>) in
      process.terminationHandler = { _ in ended.resume() }
      do {
        try process.run()
      } catch {
        process.terminationHandler = nil
        ended.resume(throwing: error)
      }
    }
    status = process.terminationStatus
    output = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    talk = String(decoding: try Data(contentsOf: err), as: UTF8.self)
  }
}
