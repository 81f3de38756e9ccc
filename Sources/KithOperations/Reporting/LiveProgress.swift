// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// How far a stream was read.
public struct LiveProgress: Sendable, Hashable {
  /// The host; nil before the first connection.
  public var host: String?
  /// Whether the connection broke off; it is made again.
  public var isBroken = false
  /// The events that were read, of all accounts.
  public var read = 0
  /// When the last of them happened; nil if there was none.
  public var place: Instant?
}
