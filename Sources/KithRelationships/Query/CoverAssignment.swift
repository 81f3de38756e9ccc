// SPDX-License-Identifier: Apache-2.0

/// Decides from which end each pair of a group is requested. An account costs one call per `size` of its
/// pairs; the last call may be partial.
struct CoverAssignment {
  private let size: Int
  private let ends: [(one: Int, other: Int)]
  /// Pairs by account.
  private var pairs: [[Int]]
  /// The end from which each pair is requested; nil while undecided.
  private var centers: [Int?]
  /// Number of pairs requested from each account.
  private var loads: [Int]
  /// Number of undecided pairs of each account.
  private var open: [Int]

  /// - Parameters:
  ///   - ends: the accounts of each pair, numbered from 0 without gaps.
  ///   - accounts: the number of accounts.
  init(_ ends: [(one: Int, other: Int)], accounts: Int, atMost size: Int) {
    self.size = size
    self.ends = ends
    pairs = Array(repeating: [], count: accounts)
    for (pair, (one, other)) in ends.enumerated() {
      pairs[one].append(pair)
      pairs[other].append(pair)
    }
    centers = Array(repeating: nil, count: ends.count)
    loads = Array(repeating: 0, count: accounts)
    open = pairs.map(\.count)
  }

  /// Number of calls for the decided pairs.
  var cost: Int { loads.reduce(0) { $0 + ($1 + size - 1) / size } }

  /// The accounts that are asked, each with its targets, in the order of the pairs.
  var others: [(center: Int, others: [Int])] {
    var others = Array(repeating: [Int](), count: loads.count)
    for (pair, center) in centers.enumerated() {
      if let center { others[center].append(opposite(center, of: pair)) }
    }
    return others.enumerated().map { ($0, $1) }.filter { !$0.1.isEmpty }
  }

  private func opposite(_ account: Int, of pair: Int) -> Int {
    ends[pair].one == account ? ends[pair].other : ends[pair].one
  }

  private mutating func decide(_ pair: Int, from account: Int) {
    centers[pair] = account
    loads[account] += 1
    open[ends[pair].one] -= 1
    open[ends[pair].other] -= 1
  }

  // MARK: Greedy

  /// Decides all pairs: an account with a single pair is requested from the other end, which is never
  /// worse; then the fullest batch of the rest is taken repeatedly.
  mutating func assignGreedily() {
    var leaves = open.indices.filter { open[$0] == 1 }
    while true {
      while let leaf = leaves.popLast() {
        guard open[leaf] == 1, let pair = pairs[leaf].first(where: { centers[$0] == nil }) else { continue }
        let neighbour = opposite(leaf, of: pair)
        decide(pair, from: open[neighbour] == 1 ? ends[pair].one : neighbour)
        if open[neighbour] == 1 { leaves.append(neighbour) }
      }
      guard let center = fullest else { return }
      let room = size - loads[center] % size
      // Accounts with few undecided pairs come first, as the others have more batches to choose from.
      let undecided = pairs[center].filter { centers[$0] == nil }
        .sorted { open[opposite(center, of: $0)] < open[opposite(center, of: $1)] }
      for pair in undecided.prefix(room) {
        decide(pair, from: center)
        let neighbour = opposite(center, of: pair)
        if open[neighbour] == 1 { leaves.append(neighbour) }
      }
      if open[center] == 1 { leaves.append(center) }
    }
  }

  /// The account with the most undecided pairs for one call; calls that already have room come before new
  /// ones.
  private var fullest: Int? {
    var best: (account: Int, isOpened: Bool, count: Int)?
    for account in open.indices where open[account] > 0 {
      let isOpened = loads[account] % size != 0
      let count = min(open[account], size - loads[account] % size)
      guard let found = best else {
        best = (account, isOpened, count)
        continue
      }
      if isOpened == found.isOpened ? count > found.count : isOpened { best = (account, isOpened, count) }
    }
    return best?.account
  }

  // MARK: Improvement

  /// Removes calls whose pairs fit into other calls.
  mutating func dissolveBatches() {
    var isBetter = true
    while isBetter {
      isBetter = false
      let smallest = loads.indices.filter { loads[$0] % size != 0 }
        .sorted { loads[$0] % size < loads[$1] % size }
      for center in smallest where dissolveBatch(of: center) { isBetter = true }
    }
  }

  private mutating func dissolveBatch(of center: Int) -> Bool {
    let surplus = loads[center] % size
    guard surplus > 0 else { return false }
    let movable = pairs[center].filter { pair in
      centers[pair] == center && loads[opposite(center, of: pair)] % size != 0
    }
    guard movable.count >= surplus else { return false }
    for pair in movable.prefix(surplus) {
      let neighbour = opposite(center, of: pair)
      centers[pair] = neighbour
      loads[neighbour] += 1
    }
    loads[center] -= surplus
    return true
  }

  // MARK: Search

  /// Tries all ways to decide the pairs, and keeps the best; for small groups only.
  mutating func searchForBetter() {
    var best = (cost: cost, centers: centers)
    var trial = (loads: Array(repeating: 0, count: loads.count), centers: [Int?]())
    search(&trial, cost: 0, &best)
    guard best.cost < cost else { return }
    centers = best.centers
    loads = Array(repeating: 0, count: loads.count)
    for case let center? in centers { loads[center] += 1 }
  }

  private func search(
    _ trial: inout (loads: [Int], centers: [Int?]), cost: Int, _ best: inout (cost: Int, centers: [Int?])
  ) {
    guard cost < best.cost else { return }
    guard trial.centers.count < ends.count else {
      best = (cost, trial.centers)
      return
    }
    let pair = ends[trial.centers.count]
    for center in [pair.one, pair.other] {
      let isNewCall = trial.loads[center] % size == 0
      trial.loads[center] += 1
      trial.centers.append(center)
      search(&trial, cost: cost + (isNewCall ? 1 : 0), &best)
      trial.centers.removeLast()
      trial.loads[center] -= 1
    }
  }
}
