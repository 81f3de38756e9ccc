// SPDX-License-Identifier: Apache-2.0

/// Who gets an answer.
enum CurlRecipient: Sendable {
  /// A task that waits for all of it.
  case whole(CheckedContinuation<CurlAnswer, any Error>)
  /// A reader that takes it as it comes.
  case stream(CurlBodyBuffer)

  /// Tells that no answer will come, or no more of it.
  func fail(_ error: any Error) {
    switch self {
    case .whole(let continuation): continuation.resume(throwing: error)
    case .stream(let buffer): buffer.update { $0.end(.failure(error), $0.metrics) }
    }
  }
}
