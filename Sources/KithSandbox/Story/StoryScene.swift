// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The accounts that can take part in a day of a story, at most once each; the cast does not change.
struct StoryScene {
  let day: Int
  let graph: LiveGraph
  private(set) var events: [SandboxEvent] = []
  private var random: SplitMix64
  private var busy: Set<Int> = []

  init(day: Int, graph: LiveGraph) {
    self.day = day
    self.graph = graph
    random = SplitMix64(
      seed: SplitMix64.mix(graph.network.configuration.seed &+ UInt64(truncatingIfNeeded: day)))
  }

  mutating func add(_ kind: SandboxEvent.Kind, _ account: Int, _ subject: Int? = nil) {
    let dids = graph.network.dids
    events.append(
      SandboxEvent(day: day, kind: kind, account: dids[account], subject: subject.map { dids[$0] }))
    busy.formUnion([account, subject].compactMap(\.self).filter { $0 >= NamedAccount.allCases.count })
  }

  /// Followers listed by the AppView that are not busy today, without the cast.
  func followers(of account: Int) -> [Int] {
    graph.follows.edges(to: account).map { graph.follows.row(of: Int($0)) }.filter { one in
      isFree(one) && !graph.isBlocked(account, one)
    }
  }

  mutating func follower(of account: Int) -> Int? { pick(followers(of: account)) }

  mutating func stranger(to account: Int, where passes: (Int, UInt64) -> Bool = { _, _ in true }) -> Int? {
    // A few tries are enough in any network that is larger than its followers.
    for _ in 0..<64 {
      let chance = random.next()
      let one = Int(chance % UInt64(graph.network.dids.count))
      if isFree(one), passes(one, chance >> 40), graph.follows.edge(from: one, to: account) == nil,
        !graph.isBlocked(account, one)
      {
        return one
      }
    }
    return nil
  }

  /// A random account that is free and not blocked, or nil. Tries a few at random, so the time does not
  /// depend on the number of accounts.
  mutating func someone(of accounts: [Int], near account: Int) -> Int? {
    guard !accounts.isEmpty else { return nil }
    for _ in 0..<64 {
      let one = accounts[random.next(below: accounts.count)]
      if isFree(one), !graph.isBlocked(account, one) { return one }
    }
    return nil
  }

  /// Returns true with this probability.
  mutating func happens(_ share: Double) -> Bool { random.nextFraction() < share }

  mutating func number(below bound: Int) -> Int { random.next(below: bound) }

  /// A random integer with this mean.
  mutating func number(near mean: Double) -> Int { Int(mean) + (happens(mean - mean.rounded(.down)) ? 1 : 0) }

  func isFree(_ account: Int) -> Bool {
    account >= NamedAccount.allCases.count && graph.isShown(account) && !busy.contains(account)
  }

  private mutating func pick(_ accounts: [Int]) -> Int? {
    accounts.isEmpty ? nil : accounts[Int(random.next() % UInt64(accounts.count))]
  }
}
