// SPDX-License-Identifier: Apache-2.0

/// The cost of a number of calls.
public struct CallCost: Sendable, Hashable {
  /// Attempts, retries included; a redirect that is followed belongs to its attempt.
  public var calls = 0
  /// How many of them were repetitions.
  public var retries = 0
  /// Bytes sent, as seen on the wire; those of an attempt that failed are not known.
  public var bytesSent = 0
  /// Bytes received, as seen on the wire, before decompression; those of an attempt that failed are not known.
  public var bytesReceived = 0
  /// Connections opened, as far as attempts succeeded on them.
  public var connectionsOpened = 0
  /// The time that the attempts took, added up: longer than the clock's where they ran side by side.
  public var time = Duration.zero

  /// No cost.
  public init() {}

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
