// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A POSIX thread that runs one closure and can be joined.
struct CurlThread: Sendable {
  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }

  private let thread: pthread_t

  /// Starts the thread; nil if the system cannot create one.
  init?(_ body: @escaping @Sendable () -> Void) {
    var thread = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let status = pthread_create(
      &thread, nil,
      { context in
        // Invariant: the context is the retained object handed over below.
        guard let context else { return nil }
        Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      start.release()
      return nil
    }
    self.thread = thread
  }

  /// Waits until the thread has ended. Call it once.
  func join() { pthread_join(thread, nil) }

  /// Lets the thread end by itself. Call it once, instead of ``join()``.
  func detach() { pthread_detach(thread) }
}
