// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What the loop thread collected of one answer; its head is parsed by the thread that asked.
struct CurlAnswer: Sendable {
  /// Status line and field lines as received, line ends included, without the empty line.
  var head: [UInt8]
  var body: [UInt8]
  var metrics: TransportResponse.Metrics
}
