// SPDX-License-Identifier: Apache-2.0

import KithClient

/// The recipient of a response.
enum CurlRecipient: Sendable {
  /// A task that waits for the complete response.
  case whole(CheckedContinuation<CurlAnswer, any Error>)
  /// A reader that takes the body as it arrives.
  case stream(CurlBodyBuffer)

  /// Reports that no response, or nothing more of it, will come.
  func fail(_ error: any Error) {
    switch self {
    case .whole(let continuation): continuation.resume(throwing: error)
    case .stream(let buffer): buffer.update { $0.end(.failure(error), $0.metrics) }
    }
  }
}

/// The raw parts of one response, collected on the loop thread; the caller's thread parses the head.
struct CurlAnswer: Sendable {
  /// The status line and field lines as received, including line ends, without the empty line.
  var head: [UInt8]
  var body: [UInt8]
  var metrics: TransportResponse.Metrics
}
