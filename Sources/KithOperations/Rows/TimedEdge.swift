// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// When a relationship of an account ends, and how much of the account a mute hides, if Kith made it: no server
/// tells.
public struct TimedEdge: Sendable, Hashable {
  /// When a job undoes it; nil if it is permanent.
  public var until: Datetime?
  /// How much is muted; nil for anything but a mute.
  public var scope: MuteScope?

  /// Whether it is a mute of a part.
  var mutesPart: Bool { scope.map { $0 != .everything } ?? false }

  /// - Parameter until: when a job undoes it; nil if it is permanent.
  public init(until: Datetime? = nil, scope: MuteScope? = nil) {
    self.until = until
    self.scope = scope
  }
}
