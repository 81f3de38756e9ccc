// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The events for the followers of alice.test and bob.test, day by day: some leave and others come, and each
/// day one of alice's followers is lost for another reason. Every second day, bob and one of his followers
/// get a block between them, which is a third party's block for everyone else.
///
/// Alternatively, a ``GrowthStory``. Both are pure functions of the seed and the state of the network. The
/// cast does not change.
struct SandboxStory: Sendable {
  /// How one of alice's followers is lost, in turn; a renamed follower is not lost.
  private enum Turn: CaseIterable {
    case deleted, deactivated, suspended, takenDown, blocks, isBlocked, renamed
  }

  /// How many days a deactivated account stays away.
  private static let absence = 3

  /// The number of days.
  let days: Int
  /// The growth story, if it is used instead.
  private(set) var growth: GrowthStory?
  /// The last day that has passed.
  private(set) var day = 0
  private var away: [(account: Int, back: Int)] = []

  init(days: Int, growth: GrowthStory? = nil) {
    self.days = days
    self.growth = growth
  }

  /// Advances by a day.
  ///
  /// - Returns: the events of the day; nil after the last day.
  mutating func pass(in graph: LiveGraph) -> [SandboxEvent]? {
    guard day < days else { return nil }
    day += 1
    if let events = growth?.pass(day, in: graph) { return events }
    var scene = StoryScene(day: day, graph: graph)
    for one in away where one.back == day { scene.add(.reactivated, one.account) }
    away.removeAll { $0.back == day }
    let (alice, bob) = (NamedAccount.alice.rawValue, NamedAccount.bob.rawValue)
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
