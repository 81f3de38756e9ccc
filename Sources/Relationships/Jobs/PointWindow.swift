// SPDX-License-Identifier: Apache-2.0

/// A stretch of time for which a server counts points.
public enum PointWindow: String, Sendable, Hashable, CaseIterable {
  case hour, day

  /// Its length.
  public var length: Duration { self == .hour ? .seconds(3_600) : .seconds(86_400) }

  var microseconds: Int64 { self == .hour ? 3_600_000_000 : 86_400_000_000 }
}
