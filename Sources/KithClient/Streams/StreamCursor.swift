// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// A place in a stream of one host.
///
/// Hosts number their events themselves, so a number means nothing to another host, or to the same one after it was built
/// again. The time is what two hosts have in common.
public struct StreamCursor: Sendable, Hashable {
  /// The host, with its port if that is not the usual one, such as `jetstream.us-east.bsky.network`.
  public let host: String
  /// The host's number of the last event; nil if the host does not number them.
  public let sequence: Int64?
  /// The time of the last event, by the clock of the host.
  public let at: Instant

  /// Creates a cursor.
  public init(host: String, sequence: Int64?, at moment: Instant) {
    self.host = host
    self.sequence = sequence
    at = moment
  }
}
