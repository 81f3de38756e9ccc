// SPDX-License-Identifier: Apache-2.0

import KithLocalHTTP
import KithOperations

extension Message {
  /// The address has a secret in it: it is for the terminal of the user alone.
  static func dashboardAddress(_ address: String) -> Message {
    Message(.note, .dashboardAddress, "open \(address)", ["address": .string(address)])
  }

  static func dashboardEntered(next address: String) -> Message {
    Message(
      .note, .dashboardEntered, "a browser has entered; for another one, open \(address)",
      ["address": .string(address)])
  }

  static let dashboardEnded = Message(
    .note, .dashboardEnded, "not used for 30 minutes; kith ui starts it again")

  static func dashboardPort(_ error: LocalHTTPError) -> Message {
    Message(.error, .dashboardPort, "\(error.subject): \(error.detail)", ["address": .string(error.subject)])
  }

  static func invalidHostName(_ text: String) -> Message {
    Message(
      .error, .invalidHostName,
      "--host-name \(text): this is not a name and a port, such as devbox.example:8300",
      ["input": .string(text)])
  }
}
