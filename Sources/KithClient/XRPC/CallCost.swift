// SPDX-License-Identifier: Apache-2.0

/// The cost of a number of calls.
public struct CallCost: Sendable, Hashable {
  /// The number of attempts, including retries; a followed redirect belongs to its attempt.
  public var calls = 0
  /// The number of retries among them.
  public var retries = 0
  /// Bytes sent, as measured on the network; those of failed attempts are unknown.
  public var bytesSent = 0
  /// Bytes received, as measured on the network before decompression; those of failed attempts are unknown.
  public var bytesReceived = 0
  /// The number of connections opened by successful attempts.
  public var connectionsOpened = 0
  /// The total time of the attempts; longer than the elapsed time if they ran concurrently.
  public var time = Duration.zero

  /// Creates a cost of zero.
  package init() {}

  static func + (one: CallCost, other: CallCost) -> CallCost {
    var sum = one
    sum.calls += other.calls
    sum.retries += other.retries
    sum.bytesSent += other.bytesSent
    sum.bytesReceived += other.bytesReceived
    sum.connectionsOpened += other.connectionsOpened
    sum.time += other.time
    return sum
  }
}
