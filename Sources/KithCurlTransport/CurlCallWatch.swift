// SPDX-License-Identifier: Apache-2.0

/// Recognizes a call of libcurl that does not return, from samples of the loop thread. A plain state machine
/// without threads or clocks.
///
/// A call takes microseconds. One that is still running at the second sample and has used
/// ``longestCall`` of processor time between the two is being fed without a pause. A thread that waits for
/// the processor, or a machine that was suspended, uses none.
struct CurlCallWatch {
  /// The call that was running at the last sample.
  private struct Seen {
    let number: Int
    var processorTime: Duration
    var cuts = 0
  }

  /// The processor time that one call of libcurl may use between two samples.
  private let longestCall: Duration
  /// The sockets that libcurl has open.
  private(set) var openSockets: Set<Int32> = []
  /// Whether sockets were shut down during the running call.
  private(set) var isCut = false
  private var calls = 0
  /// Whether a call is running, and for which socket; nil for a timer.
  private var isRunning = false
  private var socket: Int32?
  private var seen: Seen?

  init(longestCall: Duration) { self.longestCall = longestCall }

  /// Records that libcurl opened a socket.
  mutating func opened(_ socket: Int32) { openSockets.insert(socket) }

  /// Records that libcurl is about to close a socket.
  mutating func closed(_ socket: Int32) { openSockets.remove(socket) }

  /// Records that a call begins, for a socket or, with nil, for a timer.
  mutating func began(_ socket: Int32?) {
    calls += 1
    (isRunning, self.socket, isCut) = (true, socket, false)
  }

  /// Records that the call has returned.
  mutating func ended() { isRunning = false }

  /// Whether no call was running since the sample before the last one.
  private(set) var isQuiet = false
  private var callsAtLastSample = 0

  /// Takes a sample, and returns the sockets to shut down: that of the call first, and all if it continues,
  /// because libcurl may handle another socket in the same call.
  mutating func sample(processorTime: Duration) -> Set<Int32> {
    isQuiet = !isRunning && calls == callsAtLastSample
    callsAtLastSample = calls
    guard isRunning else {
      seen = nil
      return []
    }
    guard var seen, seen.number == calls else {
      seen = Seen(number: calls, processorTime: processorTime)
      return []
    }
    guard processorTime - seen.processorTime >= longestCall else { return [] }
    seen.processorTime = processorTime
    seen.cuts += 1
    self.seen = seen
    isCut = true
    if seen.cuts == 1, let socket, openSockets.contains(socket) { return [socket] }
    return openSockets
  }
}
