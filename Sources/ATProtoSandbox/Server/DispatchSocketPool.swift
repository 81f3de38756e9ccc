// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import FlyingSocks

/// Waits for sockets with dispatch sources.
///
/// FlyingSocks' own pools keep a thread waiting for each server, and leave an event descriptor open after it.
/// Sources share one descriptor and one thread in the whole process, and nothing outlives them.
struct DispatchSocketPool: AsyncSocketPool {
  private let queue = DispatchQueue(label: "ATProtoSandbox sockets")

  func prepare() async throws {}

  /// Nothing is polled for: this only lasts until the server's task is cancelled.
  func run() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
  }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    // Dispatch's calls may come from any thread; its Swift types only do not say so.
    nonisolated(unsafe) let source: any DispatchSourceProtocol =
      events.contains(.write)
      ? DispatchSource.makeWriteSource(fileDescriptor: socket.file.rawValue, queue: queue)
      : DispatchSource.makeReadSource(fileDescriptor: socket.file.rawValue, queue: queue)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        source.setEventHandler { source.cancel() }
        // Only here is the descriptor free to be closed: both ways out lead through the cancel handler.
        source.setCancelHandler { continuation.resume() }
        source.activate()
      }
    } onCancel: {
      source.cancel()
    }
    try Task.checkCancellation()
  }
}
