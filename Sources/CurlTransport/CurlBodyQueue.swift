// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What has come of a streamed answer and was not read yet. Touches neither locks nor threads: it is told.
struct CurlBodyQueue {
  /// The sender is stopped when so many bytes wait for the reader. A chunk of libcurl's comes on top.
  static let bound = 256 << 10

  /// What there is for the reader.
  enum Taken {
    case head([UInt8])
    /// Everything that waited, and whether the sender stands still and is to be set going again.
    case bytes([UInt8], resume: Bool)
    case end(Result<Void, any Error>)
    /// Nothing yet.
    case nothing
  }

  /// What the exchange has cost; settled with the end.
  private(set) var metrics = TransportResponse.Metrics()
  private var head: [UInt8]?
  private var bytes: [UInt8] = []
  private var isPaused = false
  private var outcome: Result<Void, any Error>?

  /// Whether ``take()`` would give something.
  var hasNews: Bool { head != nil || !bytes.isEmpty || outcome != nil }

  mutating func receiveHead(_ head: [UInt8]) {
    if outcome == nil { self.head = head }
  }

  /// Takes a piece of the body; false when the sender has to wait first, and the piece with it.
  mutating func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    guard outcome == nil else { return true }
    isPaused = bytes.count >= Self.bound
    if isPaused { return false }
    if bytes.isEmpty { bytes.reserveCapacity(max(piece.count, 32 << 10)) }
    bytes.append(contentsOf: piece)
    return true
  }

  /// Notes how the exchange ended; what came before can still be taken. The first end counts.
  mutating func end(_ result: Result<Void, any Error>, _ metrics: TransportResponse.Metrics) {
    self.metrics = metrics
    if outcome == nil { outcome = result }
  }

  /// Gives up what came and what is to come; false when the exchange has ended already.
  ///
  /// Bytes that were not read yet make the end an early one all the same.
  mutating func stop() -> Bool {
    let wasUnderWay = outcome == nil
    if wasUnderWay || head != nil || !bytes.isEmpty { outcome = .failure(CancellationError()) }
    head = nil
    bytes = []
    return wasUnderWay
  }

  mutating func take() -> Taken {
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
