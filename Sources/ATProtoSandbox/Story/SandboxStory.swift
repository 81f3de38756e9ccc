// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What happens to the followers of alice.test and bob.test, day by day: some leave and others come, and each day one of
/// alice's is lost for another reason. Every second day a block comes between bob and a follower of his, which is
/// a third party's block to everybody else.
///
/// A pure function of the seed and of what the network has come to. The cast stays as it is.
struct SandboxStory: Sendable {
  /// How one of alice's followers is lost, in turn; a change of handle loses nobody.
  private enum Turn: CaseIterable {
    case deleted, deactivated, suspended, takenDown, blocks, isBlocked, renamed
  }

  /// How many days whoever is deactivated stays away.
  private static let absence = 3

  /// How many days there are.
  let days: Int
  /// The last one that is over.
  private(set) var day = 0
  private var away: [(account: Int, back: Int)] = []

  init(days: Int) { self.days = days }

  /// Lets a day pass.
  ///
  /// - Returns: what is to happen on it; nil after the last.
  mutating func pass(in graph: LiveGraph) -> [SandboxEvent]? {
    guard day < days else { return nil }
    day += 1
    var scene = Scene(day: day, graph: graph)
    for one in away where one.back == day { scene.add(.reactivated, one.account) }
    away.removeAll { $0.back == day }
    let (alice, bob) = (Cast.alice.rawValue, Cast.bob.rawValue)
    let churn = max(1, scene.followers(of: alice).count / 100)
    for _ in 0..<churn { if let one = scene.follower(of: alice) { scene.add(.unfollowed, one, alice) } }
    for _ in 0..<churn { if let one = scene.stranger(to: alice) { scene.add(.followed, one, alice) } }
    if let one = scene.follower(of: alice) {
      switch Turn.allCases[(day - 1) % Turn.allCases.count] {
      case .deleted: scene.add(.deleted, one)
      case .deactivated:
        scene.add(.deactivated, one)
        away.append((one, day + Self.absence))
      case .suspended: scene.add(.suspended, one)
      case .takenDown: scene.add(.takenDown, one)
      case .blocks: scene.add(.blocked, one, alice)
      case .isBlocked: scene.add(.blocked, alice, one)
      case .renamed: scene.add(.renamed, one)
      }
    }
    if day.isMultiple(of: 2), let one = scene.follower(of: bob) {
      if day.isMultiple(of: 4) { scene.add(.blocked, bob, one) } else { scene.add(.blocked, one, bob) }
    }
    return scene.events
  }

  /// Who can take part in a day, each once.
  private struct Scene {
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
      busy.formUnion([account, subject].compactMap(\.self).filter { $0 >= Cast.allCases.count })
    }

    /// Those whom the AppView lists, of whom nothing else happens today, but for the cast.
    func followers(of account: Int) -> [Int] {
      graph.follows.edges(to: account).map { graph.follows.row(of: Int($0)) }.filter { one in
        isFree(one) && !graph.isBlocked(account, one)
      }
    }

    mutating func follower(of account: Int) -> Int? { pick(followers(of: account)) }

    mutating func stranger(to account: Int) -> Int? {
      // A handful of tries finds one in any network that is larger than its followers.
      for _ in 0..<64 {
        let one = Int(random.next() % UInt64(graph.network.dids.count))
        if isFree(one), graph.follows.edge(from: one, to: account) == nil, !graph.isBlocked(account, one) {
          return one
        }
      }
      return nil
    }

    private func isFree(_ account: Int) -> Bool {
      account >= Cast.allCases.count && graph.isShown(account) && !busy.contains(account)
    }

    private mutating func pick(_ accounts: [Int]) -> Int? {
      accounts.isEmpty ? nil : accounts[Int(random.next() % UInt64(accounts.count))]
    }
  }
}
