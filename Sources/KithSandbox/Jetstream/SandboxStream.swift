// SPDX-License-Identifier: Apache-2.0

/// How the Jetstream of a ``Sandbox`` behaves. The defaults are those of a server without faults.
package struct SandboxStream: Sendable, Hashable {
  /// Whether it only speaks the older wire, `/subscribe`, and knows no numbers of events.
  package var isLegacy = false
  /// The number of events that it keeps; older ones cannot be read any more.
  package var window = 50_000
  /// The number of connections that it still refuses with 503.
  package var refusals = 0
  /// How it ends each connection; nil if it does not.
  package var ending: Ending?
  /// The number of events before its cursor that a connection gets again.
  package var repeats = 0
  /// Whether connections are opened, and then nothing comes, not even the answer to a ping.
  package var isSilent = false

  package init() {}

  /// How the server ends a connection.
  package struct Ending: Sendable, Hashable {
    package enum Manner: Sendable, Hashable {
      /// Without a close frame (1006).
      case dropped
      /// With code 1001, as when it is restarted.
      case goingAway
      /// With the error `ConsumerTooSlow`; on the older wire, as `dropped`.
      case consumerTooSlow
    }

    package let manner: Manner
    /// The number of events that the connection gets before.
    package let events: Int

    package init(_ manner: Manner, after events: Int) { (self.manner, self.events) = (manner, events) }
  }
}
