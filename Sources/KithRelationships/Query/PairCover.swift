// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Covers pairs of accounts with as few batches as possible: each pair is requested from one of its ends,
/// and a batch costs one call.
///
/// Connected pairs are covered group by group. A small group is solved exactly; a large one greedily, by
/// taking the fullest batch repeatedly and then dissolving batches whose pairs fit into others.
struct PairCover {
  /// Groups up to this many pairs are solved exactly: at most 4,096 combinations, most of them pruned.
  private static let exactly = 12

  /// Two accounts; if both ends are equally good, the first one is asked about the second.
  typealias Pair = (one: DID, other: DID)

  /// A connected group of pairs.
  private struct Group {
    var accounts: [DID] = []
    var ends: [(one: Int, other: Int)] = []
    private var numbers: [DID: Int] = [:]

    mutating func add(_ pair: Pair) { ends.append((number(of: pair.one), number(of: pair.other))) }

    private mutating func number(of account: DID) -> Int {
      if let known = numbers[account] { return known }
      numbers[account] = accounts.count
      accounts.append(account)
      return accounts.count - 1
    }
  }

  /// As few batches as possible, each with at most `size` targets.
  ///
  /// - Parameter pairs: distinct pairs of two different accounts.
  static func batches(covering pairs: [Pair], atMost size: Int) -> [Batch] {
    groups(of: pairs).flatMap { batches(covering: $0, atMost: max(1, size)) }
  }

  private static func batches(covering group: Group, atMost size: Int) -> [Batch] {
    var assignment = CoverAssignment(group.ends, accounts: group.accounts.count, atMost: size)
    assignment.assignGreedily()
    assignment.dissolveBatches()
    if group.ends.count <= exactly { assignment.searchForBetter() }
    return assignment.others.flatMap { center, others in
      others.parts(of: size).map { some in
        Batch(center: group.accounts[center], others: some.map { group.accounts[$0] })
      }
    }
  }

  /// Groups in the order of their first pairs.
  private static func groups(of pairs: [Pair]) -> [Group] {
    var leaders: [DID: DID] = [:]
    func leader(of account: DID) -> DID {
      var root = account
      while let next = leaders[root] { root = next }
      var step = account
      while let next = leaders[step] {
        leaders[step] = root
        step = next
      }
      return root
    }
    for pair in pairs {
      let (one, other) = (leader(of: pair.one), leader(of: pair.other))
      if one != other { leaders[one] = other }
    }
    var groups: [Group] = []
    var positions: [DID: Int] = [:]
    for pair in pairs {
      let root = leader(of: pair.one)
      let position = positions[root] ?? groups.count
      if position == groups.count {
        groups.append(Group())
        positions[root] = position
      }
      groups[position].add(pair)
    }
    return groups
  }
}
