// SPDX-License-Identifier: Apache-2.0

/// Bytes that arrive in pieces: a file, a pipe, the body of a request.
public protocol ByteSource: Sendable {
  /// The name in messages: a path, or `stdin`.
  var name: String { get }
  /// Whether pieces may arrive slowly.
  var isSlow: Bool { get }
  /// Whether a person types them, and waits for each answer.
  var isTyped: Bool { get }
  /// The same bytes from their start; nil if they cannot be read twice.
  var copy: (any ByteSource)? { get }

  /// The next piece; empty at the end.
  ///
  /// - Throws: what the source throws; `CancellationError` immediately when the task is cancelled.
  func next() async throws -> [UInt8]
}
