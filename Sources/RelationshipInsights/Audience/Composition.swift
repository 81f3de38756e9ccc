// SPDX-License-Identifier: Apache-2.0

/// How a sample of accounts is made up by one property.
public struct Composition<Key: Hashable & Sendable>: Sendable, Hashable {
  /// Those who have one value of it.
  public struct Part: Sendable, Hashable {
    public let key: Key
    /// How many of the sample.
    public let count: Int
    /// Their share of those of whom the property is known.
    public let share: Estimate
  }

  /// The largest first; of equal ones in the order of their keys' descriptions.
  public let parts: [Part]
  /// Those of whom it is not known.
  public let unknown: Int

  /// Of how many it is known.
  public var known: Int { parts.reduce(0) { $0 + $1.count } }

  /// Counts values; nil stands for one that is not known.
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

/// How long ago something was, in classes that people think in.
public enum AgeClass: String, Sendable, Hashable, CaseIterable {
  case week, month, quarter, year
  case older

  /// The class of a moment that is past; what is in the future, as a wrong clock has it, counts as a moment ago.
  public init(of moment: Int64, now: Int64) {
    let (age, overflow) = now.subtractingReportingOverflow(moment)
    let days = overflow ? (moment < now ? Int64.max : 0) : age / 86_400_000_000
    self =
      switch days {
      case ..<7: .week
      case ..<30: .month
      case ..<90: .quarter
      case ..<365: .year
      default: .older
      }
  }
}

/// Under whose domain a handle is.
public struct HandleDomain: Sendable, Hashable, CustomStringConvertible {
  /// The handle without its first label: `bsky.social`; of a handle of two labels `own domain`.
  public let description: String

  /// Cuts a handle.
  public init(of handle: String) {
    let labels = handle.split(separator: ".")
    description = labels.count > 2 ? labels.dropFirst().joined(separator: ".") : "own domain"
  }
}
