// SPDX-License-Identifier: Apache-2.0

/// The body of an answer, decompressed, in chunks of whatever size they come; none is empty.
///
/// To be read once. The transfer is aborted, and what it holds freed, when the reading task is cancelled, when
/// the iterator is let go of (a `break` out of `for await`), or when the body is. A fault in the middle is
/// thrown after the bytes that came before it: ``TransportError``, or `CancellationError` when the reading
/// was given up.
public struct TransportBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = any Error

  private let source: any TransportBodySource

  /// Makes the body that a source brings.
  public init(_ source: some TransportBodySource) {
    self.source = source
  }

  /// Makes a body of one chunk that has come already; of none when there are no bytes.
  public init(_ bytes: [UInt8], metrics: TransportResponse.Metrics = .init()) {
    source = WholeBody(bytes, metrics)
  }

  /// What the exchange has cost; settled once the body has ended, one way or the other.
  public var metrics: TransportResponse.Metrics { source.metrics }

  /// Reads on to the end and gives what came.
  ///
  /// - Parameter most: the most bytes that are kept; what follows is not waited for.
  /// - Throws: as the iteration does.
  public func collect(upTo most: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in self {
      bytes += chunk.prefix(most - bytes.count)
      if bytes.count >= most { break }
    }
    return bytes
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Reading(source)) }

  /// Reads the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let reading: Reading

    fileprivate init(_ reading: Reading) { self.reading = reading }

    public mutating func next() async throws -> [UInt8]? { try await reading.source.next() }

    /// Aborts the transfer, as letting go of the iterator does.
    func stop() { reading.source.stop() }
  }

  /// Ends the source when the last copy of an iterator is gone.
  fileprivate final class Reading: Sendable {
    let source: any TransportBodySource

    init(_ source: any TransportBodySource) { self.source = source }

    deinit { source.stop() }
  }
}

/// Where a ``TransportBody`` comes from: a transport's own end of a transfer.
///
/// A reference; letting go of it aborts the transfer.
public protocol TransportBodySource: AnyObject, Sendable {
  /// What the exchange has cost; settled once the body has ended.
  var metrics: TransportResponse.Metrics { get }

  /// Waits for the next chunk, never an empty one; nil after the last.
  ///
  /// Asked by one task at a time. Cancelling the task is ``stop()``.
  func next() async throws -> [UInt8]?

  /// Aborts the transfer, if it has not ended; `next` throws `CancellationError` from then on.
  func stop()
}
