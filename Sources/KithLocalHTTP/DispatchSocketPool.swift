// SPDX-License-Identifier: Apache-2.0

internal import Dispatch
internal import FlyingSocks

/// Waits for sockets with dispatch sources.
///
/// FlyingSocks' own pools block a thread per server, and leak an event descriptor. Sources share one
/// descriptor and one thread in the whole process, and nothing outlives them.
struct DispatchSocketPool: AsyncSocketPool {
  private let queue = DispatchQueue(label: "KithLocalHTTP sockets")

  func prepare() async throws {}

  /// Waits until the server's task is cancelled; there is nothing to poll.
  func run() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    continuation.finish()
    throw CancellationError()
  }

  func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
    // Dispatch may be called from any thread, although its Swift types are not marked Sendable.
    nonisolated(unsafe) let source: any DispatchSourceProtocol =
      events.contains(.write)
      ? DispatchSource.makeWriteSource(fileDescriptor: socket.file.rawValue, queue: queue)
      : DispatchSource.makeReadSource(fileDescriptor: socket.file.rawValue, queue: queue)
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        source.setEventHandler { source.cancel() }
        // The descriptor must not be closed before this point; both ways out go through the cancel handler.
        source.setCancelHandler { continuation.resume() }
        source.activate()
      }
    } onCancel: {
      source.cancel()
    }
    try Task.checkCancellation()
  }
}
