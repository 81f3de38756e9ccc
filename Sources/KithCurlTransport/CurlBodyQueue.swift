// SPDX-License-Identifier: Apache-2.0

import KithClient

/// The received but unread parts of a streamed response. A plain state machine without locks or threads.
struct CurlBodyQueue {
  /// The sender is paused when this many bytes wait for the reader. One more chunk of libcurl's can be added.
  static let bound = 256 << 10

  /// What the reader gets.
  enum Taken {
    case head([UInt8])
    /// All waiting bytes, and whether the sender is paused and should be resumed.
    case bytes([UInt8], resume: Bool)
    case end(Result<Void, any Error>)
    /// Nothing yet.
    case nothing
  }

  /// The cost of the exchange; final at its end.
  private(set) var metrics = TransportResponse.Metrics()
  private var head: [UInt8]?
  private var bytes: [UInt8] = []
  private var isPaused = false
  private var outcome: Result<Void, any Error>?

  /// Whether ``take()`` would return something.
  var hasNews: Bool { head != nil || !bytes.isEmpty || outcome != nil }

  mutating func receiveHead(_ head: [UInt8]) {
    if outcome == nil { self.head = head }
  }

  /// Adds a piece of the body; false if the sender has to pause and send the piece again later.
  mutating func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    guard outcome == nil else { return true }
    guard hasRoom() else { return false }
    if bytes.isEmpty { bytes.reserveCapacity(max(piece.count, 32 << 10)) }
    bytes.append(contentsOf: piece)
    return true
  }

  /// Whether a piece would be taken; if not, the reader's next ``dequeue()`` says that there is room.
  mutating func hasRoom() -> Bool {
    isPaused = outcome == nil && bytes.count >= Self.bound
    return !isPaused
  }

  /// Records how the exchange ended; earlier bytes can still be taken. Only the first end counts.
  mutating func end(_ result: Result<Void, any Error>, _ metrics: TransportResponse.Metrics) {
    self.metrics = metrics
    if outcome == nil { outcome = result }
  }

  /// Discards received and future bytes; false if the exchange has ended already.
  ///
  /// If there were unread bytes, the end still becomes a cancellation.
  mutating func stop() -> Bool {
    let wasUnderWay = outcome == nil
    if wasUnderWay || head != nil || !bytes.isEmpty { outcome = .failure(CancellationError()) }
    head = nil
    bytes = []
    return wasUnderWay
  }

  mutating func dequeue() -> Taken {
    if let head = head.take() { return .head(head) }
    if !bytes.isEmpty {
      defer { isPaused = false }
      var taken: [UInt8] = []
      swap(&taken, &bytes)
      return .bytes(taken, resume: isPaused)
    }
    return outcome.map(Taken.end) ?? .nothing
  }
}
