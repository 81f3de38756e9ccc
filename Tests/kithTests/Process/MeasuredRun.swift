// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// A run of `kith` whose peak memory is read every few milliseconds.
///
/// `wait4` would include the peak of the parent process.
struct MeasuredRun {
  /// The memory limit of a run. A sanitizer needs additional memory per byte.
  static let mostMebibytes = ProcessInfo.processInfo.environment["KITH_SANITIZER"] == nil ? 150 : 1_000

  let status: Int32
  let output: String
  let messages: [KithMessage]
  /// In mebibytes.
  let peak: Int

  init(_ arguments: [String], environment: [String: String] = [:]) async throws {
    let (output, talk) = (Stream.output(), Stream.output())
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-measured-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: home) }
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    let kith = try RunningKith(
      arguments,
      environment: ["HOME": home.path(), "KITH_MESSAGES": "json"].merging(environment) { _, named in named },
      streams: [null, output.far, talk.far])
    for stream in [null, output.far, talk.far] { close(stream) }
    let measured = PosixMutex(0)
    // Use a thread: a run may end before a task has started.
    let meter = DispatchGroup()
    meter.enter()
    Thread.detachNewThread {
      while let now = kith.peakMebibytes {
        measured.withLock { $0 = max($0, now) }
        usleep(1_000)
      }
      meter.leave()
    }
    async let printed = output.readAll()
    async let said = talk.readAll()
    self.output = await printed
    messages = try KithMessage.all(in: await said)
    await blocking { meter.wait() }
    peak = measured.withLock(\.self)
    status = await kith.status()
    for stream in [output, talk] { close(stream.near) }
  }

  /// Expects the status, bounded memory, and short, harmless output.
  func expect(_ status: Int32, _ place: SourceLocation = #_sourceLocation) {
    #expect(self.status == status, "\(messages)", sourceLocation: place)
    #expect(peak > 0 && peak < Self.mostMebibytes, sourceLocation: place)
    #expect(messages.count <= 102, sourceLocation: place)
    #expect(messages.allSatisfy { $0.text.utf8.count < 4_096 }, sourceLocation: place)
  }
}
