// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithOperations
import Testing

@testable import kith

@Suite struct InputDescriptorTests {
  /// A temporary named pipe.
  private func withFIFO(_ body: (String) async throws -> Void) async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "kith-fifo-\(UUID().uuidString)").path()
    try #require(mkfifo(path, 0o600) == 0)
    defer { unlink(path) }
    try await body(path)
  }

  /// Opens a named pipe for writing; nil without a reader.
  private func openedForWriting(_ path: String) -> Int32? {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK)
    return descriptor >= 0 ? descriptor : nil
  }

  @Test func anInterruptionEndsTheWaitForTheWriterOfANamedPipe() async throws {
    try await withFIFO { path in
      let source = try InputDescriptor(path: path)
      let reading = Task { try await source.next() }
      reading.cancel()
      await #expect(throws: CancellationError.self) { try await reading.value }
      // Releases the waiting thread.
      close(try #require(openedForWriting(path)))
    }
  }

  /// Another user who can write to its folder may put another file in its place.
  @Test func aSecondReadingIsOfTheSameFile() async throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "kith-twice-\(UUID().uuidString)")
      .path()
    defer { unlink(path) }
    try Data("one".utf8).write(to: URL(filePath: path))
    let source = try InputDescriptor(path: path)
    unlink(path)
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try await source.copy?.next() == Array("one".utf8))
    #expect(try await source.next() == Array("one".utf8))
  }

  @Test func theWriterOfANamedPipeMayComeLater() async throws {
    try await withFIFO { path in
      let source = try InputDescriptor(path: path)
      let isOver = PosixMutex(false)
      async let piece = {
        defer { isOver.withLock { $0 = true } }
        return try await source.next()
      }()
      // Without waiting for the writer, end-of-file would arrive this fast.
      for _ in 0..<100 { try #require(try await InputDescriptor(path: "/dev/null").next().isEmpty) }
      let hasEnded = isOver.withLock { $0 }
      #expect(!hasEnded)
      let writer = try #require(openedForWriting(path))
      _ = write(writer, "alice", 5)
      #expect(try await piece == Array("alice".utf8))
      _ = write(writer, "bob", 3)
      close(writer)
      #expect(try await source.next() == Array("bob".utf8))
      #expect(try await source.next().isEmpty)
    }
  }
}
