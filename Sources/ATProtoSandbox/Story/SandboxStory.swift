// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// What happens to the followers of alice.test and bob.test, day by day: some leave and others come, and each day one of
/// alice's is lost for another reason. Every second day a block comes between bob and a follower of his, which is
/// a third party's block to everybody else.
///
/// Or, where it is given one, a ``GrowthStory``. Either is a pure function of the seed and of what the network has come
/// to. The cast stays as it is.
struct SandboxStory: Sendable {
  /// How one of alice's followers is lost, in turn; a change of handle loses nobody.
  private enum Turn: CaseIterable {
    case deleted, deactivated, suspended, takenDown, blocks, isBlocked, renamed
  }

  /// How many days whoever is deactivated stays away.
  private static let absence = 3

  /// How many days there are.
  let days: Int
  /// The other story, where that is told instead.
  private(set) var growth: GrowthStory?
  /// The last one that is over.
  private(set) var day = 0
  private var away: [(account: Int, back: Int)] = []

  init(days: Int, growth: GrowthStory? = nil) {
    self.days = days
    self.growth = growth
  }

  /// Lets a day pass.
  ///
  /// - Returns: what is to happen on it; nil after the last.
  mutating func pass(in graph: LiveGraph) -> [SandboxEvent]? {
    guard day < days else { return nil }
    day += 1
    if let events = growth?.pass(day, in: graph) { return events }
    var scene = StoryScene(day: day, graph: graph)
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
}
