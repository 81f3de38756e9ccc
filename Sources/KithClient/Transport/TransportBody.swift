// SPDX-License-Identifier: Apache-2.0

/// The decompressed body of a response, in chunks of any size, none of them empty.
///
/// Can be read once. The transfer is aborted, and its memory freed, when the reading task is cancelled, when
/// the iterator is released (a `break` out of `for await`), or when the body is released. A failure is thrown
/// after the bytes before it: ``TransportError``, or `CancellationError` if reading was cancelled.
public struct TransportBody: AsyncSequence, Sendable {
  public typealias Element = [UInt8]
  public typealias Failure = any Error

  private let source: any TransportBodySource

  /// Creates the body of a source.
  public init(_ source: some TransportBodySource) {
    self.source = source
  }

  /// Creates a body with one chunk; without chunks if there are no bytes.
  public init(_ bytes: [UInt8], metrics: TransportResponse.Metrics = .init()) {
    source = WholeBody(bytes, metrics)
  }

  /// The cost of the exchange; final once the body has ended, in success or failure.
  public var metrics: TransportResponse.Metrics { source.metrics }

  /// Reads to the end and returns all bytes.
  ///
  /// - Parameter most: The maximum number of bytes to read; the rest is not waited for.
  /// - Throws: The errors of the iteration.
  public func collect(upTo most: Int) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    for try await chunk in self {
      bytes += chunk.prefix(most - bytes.count)
      if bytes.count >= most { break }
    }
    return bytes
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(Reading(source)) }

  /// Iterates over the chunks.
  public struct AsyncIterator: AsyncIteratorProtocol, Sendable {
    private let reading: Reading

    fileprivate init(_ reading: Reading) { self.reading = reading }

    public mutating func next() async throws -> [UInt8]? { try await reading.source.next() }

    /// Aborts the transfer, as releasing the iterator does.
    func stop() { reading.source.stop() }
  }

  /// Stops the source when the last copy of an iterator is released.
  fileprivate final class Reading: Sendable {
    let source: any TransportBodySource

    init(_ source: any TransportBodySource) { self.source = source }

    deinit { source.stop() }
  }
}

/// The source of a ``TransportBody``: a transport's side of a transfer.
///
/// Releasing it aborts the transfer.
public protocol TransportBodySource: AnyObject, Sendable {
  /// The cost of the exchange; final once the body has ended.
  var metrics: TransportResponse.Metrics { get }

  /// Waits for the next chunk, which is never empty; nil after the last one.
  ///
  /// Called by one task at a time. Cancelling the task has the effect of ``stop()``.
  func next() async throws -> [UInt8]?

  /// Aborts the transfer, unless it has ended; `next` throws `CancellationError` from then on.
  func stop()
}
