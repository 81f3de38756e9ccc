// SPDX-License-Identifier: Apache-2.0

/// Up to two years in which alice.test gains many followers.
///
/// A slow trend with a weekly rhythm; two jumps, each after a post that spread widely; one wave of blocks,
/// after which fewer accounts follow and more unfollow; a steady loss; and occasionally an account that is
/// deleted, deactivated, suspended, taken down or renamed. Alice follows some of the followers back, and
/// blocks a few.
struct GrowthStory: Sendable {
  /// The share of followers that leave per day.
  private static let churn = 0.003
  /// The share of followers that block alice on each of the three days of the wave.
  private static let wave = 0.01
  /// The number of days that the wave has an effect.
  private static let dip = 14
  /// How the new followers of a jump are spread over its days.
  private static let jump = [0.35, 0.25, 0.15, 0.1, 0.08, 0.07]
  /// The share of the network that follows in each of the jumps.
  private static let jumpSizes = [0.03, 0.045]

  /// The first day of each jump.
  private let jumpDays: [Int]
  /// The first day of the wave.
  private let waveDay: Int
  /// The day before the story, in days since 1970; determines the weekends.
  private let eve: Int

  private var away: [(account: Int, back: Int)] = []
  /// Accounts that alice is going to follow back, and when.
  private var courted: [(account: Int, day: Int)] = []
  /// Accounts that left. Few come back.
  private var left: Set<Int> = []

  /// - Parameters:
  ///   - days: the number of days.
  ///   - eve: the day before the first, in days since 1970.
  init(days: Int, seed: UInt64, eve: Int) {
    self.eve = eve
    func day(at share: Double, _ salt: UInt64) -> Int {
      let chance = Double(SplitMix64.mix(SplitMix64.mix(seed) &+ salt) % 1_000) / 10_000
      return max(1, Int(Double(days) * (share + chance)))
    }
    jumpDays = [day(at: 0.25, 1), day(at: 0.65, 2)]
    waveDay = day(at: 0.45, 3)
  }

  /// Whether a post of alice spreads widely on a day.
  func goesRound(on day: Int) -> Bool { jumpDays.contains(day) }

  /// Returns the events of a day.
  mutating func pass(_ day: Int, in graph: LiveGraph) -> [SandboxEvent] {
    var scene = StoryScene(day: day, graph: graph)
    for one in away where one.back <= day { scene.add(.reactivated, one.account) }
    away.removeAll { $0.back <= day }
    let followers = graph.follows.edges(to: Self.alice).map { graph.follows.row(of: Int($0)) }
    followBack(in: &scene)
    lose(followers, in: &scene)
    gain(followers.count, in: &scene)
    befall(followers, in: &scene)
    withdraw(from: followers, in: &scene)
    return scene.events
  }

  private static let alice = NamedAccount.alice.rawValue

  private func isDip(_ day: Int) -> Bool { waveDay..<(waveDay + Self.dip) ~= day }

  private mutating func lose(_ followers: [Int], in scene: inout StoryScene) {
    let share = Self.churn * (isDip(scene.day) ? 2 : 1)
    for _ in 0..<scene.number(near: share * Double(followers.count)) {
      guard let one = scene.someone(of: followers, near: Self.alice) else { break }
      scene.add(.unfollowed, one, Self.alice)
      left.insert(one)
    }
    guard waveDay..<(waveDay + 3) ~= scene.day else { return }
    for _ in 0..<scene.number(near: Self.wave * Double(followers.count)) {
      guard let one = scene.someone(of: followers, near: Self.alice) else { break }
      scene.add(.blocked, one, Self.alice)
    }
  }

  private mutating func gain(_ followers: Int, in scene: inout StoryScene) {
    let accounts = Double(scene.graph.network.dids.count)
    let fresh = max(0, accounts - Double(followers + left.count)) / accounts
    let progress = min(Double(scene.day) / 730, 1)
    let rhythm = [1.0, 1.1, 1.3, 1.35, 0.9, 0.8, 0.85][(eve + scene.day) % 7]  // from Thursday
    var mean = accounts / 1_000 * (0.35 + 1.7 * progress) * fresh.squareRoot() * rhythm
    if isDip(scene.day) { mean *= 0.4 }
    mean *= 0.7 + 0.6 * Double(SplitMix64.mix(UInt64(scene.day) ^ 0x5EED) % 1_000) / 1_000
    for (first, size) in zip(jumpDays, Self.jumpSizes) where scene.day - first < Self.jump.count {
      if scene.day >= first { mean += accounts * fresh * size * Self.jump[scene.day - first] }
    }
    for _ in 0..<scene.number(near: mean) {
      let one = scene.stranger(to: Self.alice) { one, chance in
        !left.contains(one) || chance.isMultiple(of: 16)
      }
      guard let one else { break }
      scene.add(.followed, one, Self.alice)
      left.remove(one)
      if scene.happens(0.15) { courted.append((one, scene.day + 1 + scene.number(below: 10))) }
    }
  }

  /// Alice follows some accounts back that still follow her.
  private mutating func followBack(in scene: inout StoryScene) {
    let graph = scene.graph
    for one in courted where one.day <= scene.day && scene.isFree(one.account) {
      guard graph.follows.edge(from: one.account, to: Self.alice) != nil,
        graph.follows.edge(from: Self.alice, to: one.account) == nil,
        !graph.isBlocked(Self.alice, one.account)
      else { continue }
      scene.add(.followed, Self.alice, one.account)
    }
    courted.removeAll { $0.day <= scene.day }
  }

  /// Events that happen to accounts for reasons of their own.
  private mutating func befall(_ followers: [Int], in scene: inout StoryScene) {
    for _ in 0..<scene.number(near: 0.05 + 0.000_2 * Double(followers.count)) {
      guard let one = scene.someone(of: followers, near: Self.alice) else { break }
      switch scene.number(below: 20) {
      case 0..<5:
        scene.add(.deactivated, one)
        away.append((one, scene.day + 3 + scene.number(below: 20)))
      case 5..<11: scene.add(.deleted, one)
      case 11..<13: scene.add(.suspended, one)
      case 13..<15: scene.add(.takenDown, one)
      default: scene.add(.renamed, one)
      }
    }
  }

  /// Occasionally, alice blocks a follower and unfollows an account.
  private func withdraw(from followers: [Int], in scene: inout StoryScene) {
    if scene.happens(0.03), let one = scene.someone(of: followers, near: Self.alice) {
      scene.add(.blocked, Self.alice, one)
    }
    guard scene.happens(0.1) else { return }
    let follows = scene.graph.follows.edges(from: Self.alice).map { scene.graph.follows.column(of: Int($0)) }
    if let one = scene.someone(of: follows, near: Self.alice) { scene.add(.unfollowed, Self.alice, one) }
  }
}
