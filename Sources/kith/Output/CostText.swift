// SPDX-License-Identifier: Apache-2.0

import ATProtoClient

/// What a run has cost, in a line.
enum CostText {
  static func line(_ cost: CallCost, elapsed: Duration) -> String {
    "\(cost.calls) calls (\(cost.retries) repeated), \(cost.bytesSent) bytes sent, \(cost.bytesReceived) received, "
      + "\(cost.connectionsOpened) connections, \(DurationText.seconds(elapsed)) s"
  }
}
