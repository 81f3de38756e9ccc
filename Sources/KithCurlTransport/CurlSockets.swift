// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import Glibc

/// The sockets and the timer of libcurl, and the wait for them.
///
/// With this API libcurl only handles sockets that are ready, while `curl_multi_perform` checks each with a
/// system call. Only for the loop thread; it outlives the multi handle, which reports to it until the end.
final class CurlSockets {
  /// A socket and what it is ready for, in libcurl's form.
  struct Event {
    let socket: curl_socket_t
    let mask: Int32
  }

  /// When libcurl wants to be called even if no socket is ready.
  private(set) var timer: ContinuousClock.Instant?

  private let wakePipe: WakePipe
  private let clock: CurlLoopClock
  /// The wake-up pipe first, then libcurl's sockets.
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
      { easy, socket, what, context, _ in
        CurlSockets.of(context).change(socket, what)
        if what != CURL_POLL_REMOVE { CurlEasyHandle.of(easy: easy)?.uses(socket) }
        return 0
      }, context)
    kith_curl_multi_setopt_timer(
      multi,
      { _, milliseconds, context in
        CurlSockets.of(context).setTimer(milliseconds)
        return 0
      }, context)
  }

  /// Whether libcurl's timer is due. Returns true once; libcurl sets the timer again if it needs to.
  func takeDueTimer() -> Bool {
    guard let timer, timer <= clock.now else { return false }
    self.timer = nil
    return true
  }

  /// Waits for sockets, the wake-up or a timeout, and puts ready sockets into an empty array.
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

  /// A linear search, because there are few sockets, as for `poll` itself.
  private func place(of socket: curl_socket_t) -> Int? {
    polled.dropFirst().firstIndex { $0.fd == socket }
  }

  private func setTimer(_ milliseconds: Int) {
    timer = milliseconds < 0 ? nil : clock.now + .milliseconds(milliseconds)
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> CurlSockets {
    // Invariant: libcurl returns the pointer it was given, and the loop keeps this object longer than
    // libcurl.
    guard let context else { preconditionFailure("libcurl lost the sockets' context") }
    return Unmanaged<CurlSockets>.fromOpaque(context).takeUnretainedValue()
  }
}
