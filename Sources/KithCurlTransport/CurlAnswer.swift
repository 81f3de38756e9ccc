// SPDX-License-Identifier: Apache-2.0

import KithClient

/// The raw parts of one response, collected on the loop thread; the caller's thread parses the head.
struct CurlAnswer: Sendable {
  /// The status line and field lines as received, including line ends, without the empty line.
  var head: [UInt8]
  var body: [UInt8]
  var metrics: TransportResponse.Metrics
}
