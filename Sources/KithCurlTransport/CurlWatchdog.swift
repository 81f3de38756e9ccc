// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore

/// Ends calls of libcurl that do not return, from a thread of its own.
///
/// libcurl reads a socket until it is empty. A server that sends frames of HTTP/2 without data faster than
/// they are parsed keeps it in one call for ever, and meanwhile no callback runs: no limit of time, no
/// cancellation, no other exchange of the loop. Shutting the connection down from outside ends the call.
final class CurlWatchdog: Sendable {
  private struct State {
    var watch: CurlCallWatch
    var isAsleep = false
    var isStopped = false
    /// The processor time of the loop thread.
    var clock: clockid_t?
  }

  private let state: PosixMutex<State>
  private let wakePipe: WakePipe
  /// The time between two samples, in milliseconds.
  private let interval: Int32

  /// Prepares the watch of a loop; nil if the process has no descriptors left.
  ///
  /// - Parameter longestCall: The processor time that a call may use; it is ended after twice to three times
  ///   as much.
  init?(longestCall: Duration) {
    guard let wakePipe = WakePipe() else { return nil }
    self.wakePipe = wakePipe
    state = PosixMutex(State(watch: CurlCallWatch(longestCall: longestCall)))
    interval = Int32(max(1, longestCall / .milliseconds(1)))
  }

  /// Starts to watch the thread that calls this; nil if no thread can be created. It is joined after
  /// ``stop()``.
  func start() -> CurlThread? {
    var clock = clockid_t()
    guard pthread_getcpuclockid(pthread_self(), &clock) == 0 else { return nil }
    state.withLock { [clock] in $0.clock = clock }
    return CurlThread { [self] in run() }
  }

  /// Ends the thread.
  func stop() {
    state.withLock { $0.isStopped = true }
    wakePipe.wake()
  }

  /// Runs a call of libcurl for a socket, or with nil for a timer; true if its connection was shut down.
  func during(_ socket: Int32?, _ call: () -> Void) -> Bool {
    let isAsleep = state.withLock { state in
      state.watch.began(socket)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
    if isAsleep { wakePipe.wake() }
    call()
    return state.withLock { state in
      state.watch.ended()
      return state.watch.isCut
    }
  }

  /// Records a socket that libcurl opened.
  func opened(_ socket: Int32) { state.withLock { $0.watch.opened(socket) } }

  /// Closes a socket of libcurl, under the lock: its number may be reused at once.
  func close(_ socket: Int32) -> Int32 {
    state.withLock { state in
      state.watch.closed(socket)
      return Glibc.close(socket)
    }
  }

  private func run() {
    var wake = pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0)
    while let wait = sample() {
      if poll(&wake, 1, wait) > 0 { wakePipe.drain() }
    }
  }

  /// Shuts down what has to be, and returns how long to wait; nil at the end.
  private func sample() -> Int32? {
    state.withLock { state in
      guard !state.isStopped, let clock = state.clock else { return nil }
      for socket in state.watch.sample(processorTime: Self.time(of: clock)) {
        shutdown(socket, Int32(SHUT_RDWR))
      }
      state.isAsleep = state.watch.isQuiet
      return state.isAsleep ? -1 : interval
    }
  }

  private static func time(of clock: clockid_t) -> Duration {
    var time = timespec()
    clock_gettime(clock, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
}

extension CurlWatchdog {
  /// Returns the watchdog behind the pointer that libcurl was given.
  static func of(_ context: UnsafeMutableRawPointer?) -> CurlWatchdog {
    // Invariant: libcurl returns the pointer it was given, and the loop keeps this object longer than
    // libcurl.
    guard let context else { preconditionFailure("libcurl lost the watchdog's context") }
    return Unmanaged<CurlWatchdog>.fromOpaque(context).takeUnretainedValue()
  }
}
