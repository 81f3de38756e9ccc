// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The distribution of one property in a sample of accounts.
public struct Composition<Key: Hashable & Sendable>: Sendable, Hashable {
  /// The accounts with one value.
  public struct Part: Sendable, Hashable {
    public let key: Key
    /// Number of accounts in the sample.
    public let count: Int
    /// Their share of the accounts with a known value.
    public let share: Estimate
  }

  /// Largest first; equal ones sorted by the descriptions of their keys.
  public let parts: [Part]
  /// Accounts whose value is unknown.
  public let unknown: Int

  /// Accounts whose value is known.
  public var known: Int { parts.reduce(0) { $0 + $1.count } }

  /// Counts values; nil means unknown.
  public init(of values: some Sequence<Key?>) {
    var (counts, unknown) = ([Key: Int](), 0)
    for value in Array(values) {
      if let value { counts[value, default: 0] += 1 } else { unknown += 1 }
    }
    let known = counts.values.reduce(0, +)
    parts = counts.compactMap { key, count in
      Estimate.share(count, of: known).map { Part(key: key, count: count, share: $0) }
    }.sorted { ($1.count, "\($0.key)") < ($0.count, "\($1.key)") }
    self.unknown = unknown
  }
}

/// How long ago something happened, in everyday classes.
public enum AgeClass: String, Sendable, Hashable, CaseIterable {
  case week, month, quarter, year
  case older

  /// The class of a time in the past; a time in the future, from a wrong clock, counts as just now.
  public init(of moment: Instant, now: Instant) {
    self =
      switch now - moment {
      case ..<(.days(7)): .week
      case ..<(.days(30)): .month
      case ..<(.days(90)): .quarter
      case ..<(.days(365)): .year
      default: .older
      }
  }
}

/// The domain of a handle.
public struct HandleDomain: Sendable, Hashable, CustomStringConvertible {
  /// The handle without its first label, such as `bsky.social`; `own domain` for a handle of two labels.
  public let description: String

  /// Splits a handle.
  public init(of handle: String) {
    let labels = handle.split(separator: ".")
    description = labels.count > 2 ? labels.dropFirst().joined(separator: ".") : "own domain"
  }
}
