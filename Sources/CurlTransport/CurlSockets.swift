// SPDX-License-Identifier: Apache-2.0

import CCurl
import Glibc

/// The sockets and the timer that libcurl wants to be told of, and the wait for them.
///
/// With them libcurl looks only at sockets that are ready, where `curl_multi_perform` looks at each with a
/// system call. For the loop thread alone; outlives the multi handle, which reports here to its end.
final class CurlSockets {
  /// A socket and what it is ready for, as libcurl takes it.
  struct Event {
    let socket: curl_socket_t
    let mask: Int32
  }

  /// When libcurl wants to be called although no socket is ready.
  private(set) var timer: ContinuousClock.Instant?

  private let wakePipe: WakePipe
  private let clock: CurlLoopClock
  /// The wake-up stands first, libcurl's sockets follow.
  private var polled: [pollfd]

  init(_ wakePipe: WakePipe, _ clock: CurlLoopClock) {
    self.wakePipe = wakePipe
    self.clock = clock
    polled = [pollfd(fd: wakePipe.readEnd, events: Int16(POLLIN), revents: 0)]
  }

  /// Makes a multi handle report to this object.
  func observe(_ multi: UnsafeMutableRawPointer) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    kith_curl_multi_setopt_socket(
      multi,
      { _, socket, what, context, _ in
        CurlSockets.of(context).change(socket, what)
        return 0
      }, context)
    kith_curl_multi_setopt_timer(
      multi,
      { _, milliseconds, context in
        CurlSockets.of(context).setTimer(milliseconds)
        return 0
      }, context)
  }

  /// Whether libcurl's time has come. True once: libcurl sets the timer anew when it needs one again.
  func takeDueTimer() -> Bool {
    guard let timer, timer <= clock.now else { return false }
    self.timer = nil
    return true
  }

  /// Waits for sockets, the wake-up or a time, and puts what is ready into an empty array.
  func wait(milliseconds: Int32, into events: inout [Event]) {
    guard poll(&polled, nfds_t(polled.count), milliseconds) > 0 else { return }
    if polled[0].revents != 0 { wakePipe.drain() }
    for place in 1..<polled.count where polled[place].revents != 0 {
      let ready = Int32(polled[place].revents)
      var mask: Int32 = 0
      if ready & POLLIN != 0 { mask |= CURL_CSELECT_IN }
      if ready & POLLOUT != 0 { mask |= CURL_CSELECT_OUT }
      if ready & (POLLERR | POLLHUP | POLLNVAL) != 0 { mask |= CURL_CSELECT_ERR | CURL_CSELECT_IN }
      events.append(Event(socket: polled[place].fd, mask: mask))
    }
  }

  private func change(_ socket: curl_socket_t, _ what: Int32) {
    var events: Int32 = 0
    if what & CURL_POLL_IN != 0 { events |= POLLIN }
    if what & CURL_POLL_OUT != 0 { events |= POLLOUT }
    guard what != CURL_POLL_REMOVE else { return remove(socket) }
    if let place = place(of: socket) {
      polled[place].events = Int16(events)
    } else {
      polled.append(pollfd(fd: socket, events: Int16(events), revents: 0))
    }
  }

  private func remove(_ socket: curl_socket_t) {
    guard let place = place(of: socket) else { return }
    polled.swapAt(place, polled.count - 1)
    polled.removeLast()
  }

  /// Few enough to be looked through, as `poll` does.
  private func place(of socket: curl_socket_t) -> Int? {
    polled.dropFirst().firstIndex { $0.fd == socket }
  }

  private func setTimer(_ milliseconds: Int) {
    timer = milliseconds < 0 ? nil : clock.now + .milliseconds(milliseconds)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> CurlSockets {
    // Invariant: libcurl returns the pointer it was given, and the loop keeps this longer than libcurl.
    guard let context else { preconditionFailure("libcurl lost the sockets' context") }
    return Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue()
  }
}
