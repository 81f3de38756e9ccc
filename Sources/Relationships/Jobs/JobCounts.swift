// SPDX-License-Identifier: Apache-2.0

/// How many items of a job are in which state, and what is left to pay.
public struct JobCounts: Sendable, Hashable {
  private var items: [JobItemState.Kind: Int] = [:]
  /// Points of the write budget that the items cost which are not settled.
  public private(set) var pointsLeft = 0

  /// Counts nothing.
  public init() {}

  /// How many are in that state.
  public subscript(kind: JobItemState.Kind) -> Int { items[kind] ?? 0 }

  /// All items.
  public var total: Int { items.values.reduce(0, +) }

  /// Those that are still to be done or settled.
  public var left: Int { self[.pending] + self[.inDoubt] }

  /// Counts more items of a state; less, with a negative number.
  ///
  /// - Parameter points: what they cost together.
  public mutating func add(_ count: Int, _ kind: JobItemState.Kind, points: Int) {
    items[kind, default: 0] += count
    if kind == .pending || kind == .inDoubt { pointsLeft += points }
  }

  /// Counts items in another state than the one in which they were counted.
  mutating func move(
    _ count: Int, from former: JobItemState.Kind, to kind: JobItemState.Kind, points: Int
  ) {
    add(-count, former, points: -points)
    add(count, kind, points: points)
  }
}
