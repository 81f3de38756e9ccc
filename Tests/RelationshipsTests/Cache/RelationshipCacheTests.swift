// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

@Suite struct RelationshipCacheTests {
  private let clock = ManualClock()
  private let actor = Accounts.did(0)

  private func cache(_ policy: RelationshipCache.Policy = .init()) -> RelationshipCache {
    RelationshipCache(policy: policy, time: clock.timeSource())
  }

  private func finding(
    _ number: Int, follows: Bool = true, key: String = "3jui7kd54zh2y"
  ) -> RelationshipFinding {
    .known(.made(actor: actor, target: Accounts.did(number), follows: follows, key: key))
  }

  private func learn(
    _ cache: RelationshipCache, _ findings: [Int: RelationshipFinding]
  ) async -> [RelationshipChange] {
    let keyed = Dictionary(uniqueKeysWithValues: findings.map { (Accounts.did($0.key), $0.value) })
    let targets = findings.keys.sorted().map(Accounts.did)
    return await learn(cache, Findings(keyed, of: targets), targets, askedIn: cache.generation)
  }

  private func learn(
    _ cache: RelationshipCache, _ findings: Findings, _ targets: [DID], askedIn generation: Int
  ) async -> [RelationshipChange] {
    let told = PosixMutex<[RelationshipChange]>([])
    await cache.learn(findings, of: actor, with: targets, askedIn: generation) { news in
      told.withLock { $0 += news }
    }
    return told.withLock { $0 }
  }

  private func remembered(_ cache: RelationshipCache, _ numbers: Range<Int>) async -> [DID] {
    let found = await cache.freshFindings(of: actor, with: Accounts.dids(numbers))
    return Accounts.dids(numbers).filter { found[$0] != nil }
  }

  @Test func tellsThatAnAnswerComesFromMemory() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1)])
    let found = await cache.freshFindings(of: actor, with: Accounts.dids(1..<3))
    guard case .known(let info) = found[Accounts.did(1)] else {
      Issue.record("\(found)")
      return
    }
    #expect(info.source == .cache)
    #expect(info.isFollowing)
    #expect(found.count == 1)
  }

  @Test func answersFromTheOtherSideToo() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1)])
    guard case .known(let info) = await cache.freshFindings(of: Accounts.did(1), with: [actor])[actor] else {
      Issue.record("nothing is known")
      return
    }
    #expect(info.actor == Accounts.did(1))
    #expect(info.target == actor)
    #expect(info.followedBy == ATURI("at://\(actor)/app.bsky.graph.follow/3jui7kd54zh2y"))
    #expect(info.following == nil)
  }

  @Test func anAbsenceSaysNothingOfTheOtherSide() async {
    let cache = cache()
    _ = await learn(cache, [1: .notFound])
    #expect(await cache.finding(of: actor, with: Accounts.did(1)) == .fresh(.notFound))
    #expect(await cache.finding(of: Accounts.did(1), with: actor) == .none)
  }

  @Test func forgetsAfterItsTime() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1), 2: .notFound])
    clock.advance(by: .seconds(60) - .nanoseconds(1))
    #expect(await remembered(cache, 1..<3) == Accounts.dids(1..<3))
    clock.advance(by: .nanoseconds(1))
    #expect(await remembered(cache, 1..<3) == [Accounts.did(1)])
    clock.advance(by: .seconds(240))
    #expect(await remembered(cache, 1..<3).isEmpty)
  }

  @Test func neverKeepsAnAbsenceLongerThanAPresence() {
    #expect(RelationshipCache.Policy(lifetime: .seconds(5)).absenceLifetime == .seconds(5))
  }

  @Test func staysWithinItsBound() async {
    let cache = cache(.init(capacity: 2))
    for number in 1..<4 { _ = await learn(cache, [number: finding(number)]) }
    #expect(await remembered(cache, 1..<4) == Accounts.dids(2..<4))
    let statistics = await cache.statistics
    #expect(statistics.count == 2)
    #expect(statistics.evictions == 1)
  }

  @Test(arguments: [RelationshipCache.Policy.off, .init(lifetime: .zero), .init(capacity: 0)])
  func keepsNothingWhenItIsOff(policy: RelationshipCache.Policy) async {
    let cache = cache(policy)
    _ = await learn(cache, [1: finding(1), 2: .notFound])
    await cache.learn(existing: [], among: Accounts.dids(1..<3), askedIn: cache.generation)
    #expect(await remembered(cache, 1..<3).isEmpty)
    #expect(await cache.existence(of: Accounts.dids(1..<3)).isEmpty)
  }

  @Test func countsWhatItDid() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1)])
    _ = await remembered(cache, 1..<4)
    let statistics = await cache.statistics
    #expect(statistics.hits == 1)
    #expect(statistics.misses == 2)
    #expect(statistics.evictions == 0)
    #expect(statistics.count == 1)
  }

  @Test func prunesOnlyWhatHasEnded() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1), 2: .notFound, 3: .notFound])
    #expect(await cache.prune() == 0)
    clock.advance(by: .seconds(60))
    #expect(await cache.statistics.count == 3)
    #expect(await cache.prune() == 2)
    #expect(await cache.statistics.count == 1)
    #expect(await remembered(cache, 1..<4) == [Accounts.did(1)])
  }

  @Test func forgetsOnePairOrAll() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1), 2: finding(2)])
    await cache.remove(actor: actor, target: Accounts.did(1))
    #expect(await remembered(cache, 1..<3) == [Accounts.did(2)])
    await cache.removeAll()
    #expect(await remembered(cache, 1..<3).isEmpty)
    #expect(await cache.statistics.count == 0)
  }

  @Test func remembersNothingThatWasAskedBeforeItForgot() async {
    let cache = cache()
    let generation = await cache.generation
    await cache.remove(actor: Accounts.did(1), target: actor)
    await cache.remove(actor: actor, target: Accounts.did(2))
    let targets = Accounts.dids(1..<4)
    var findings = Findings()
    for number in 1..<4 { findings.append(finding(number), of: Accounts.did(number)) }
    #expect(await learn(cache, findings, targets, askedIn: generation).isEmpty)
    #expect(await remembered(cache, 1..<4) == [Accounts.did(3)])
    await cache.learn(existing: Set(targets), among: targets, askedIn: generation)
    #expect(
      await cache.existence(of: targets) == [Accounts.did(1): true, Accounts.did(3): true])
    await cache.removeAll()
    #expect(await learn(cache, findings, targets, askedIn: generation).isEmpty)
    await cache.learn(existing: Set(targets), among: targets, askedIn: generation)
    #expect(await cache.statistics.count == 0)
    #expect(await cache.existence(of: targets).isEmpty)
  }

  /// Q2: what a pair's answer does not tell.
  @Test func remembersWhoExistsForTheSameTimes() async {
    let cache = cache()
    await cache.learn(existing: [Accounts.did(1)], among: Accounts.dids(1..<3), askedIn: cache.generation)
    #expect(
      await cache.existence(of: Accounts.dids(1..<4)) == [Accounts.did(1): true, Accounts.did(2): false])
    clock.advance(by: .seconds(60))
    #expect(await cache.existence(of: Accounts.dids(1..<4)) == [Accounts.did(1): true])
    await cache.remove(actor: actor, target: Accounts.did(1))
    #expect(await cache.existence(of: Accounts.dids(1..<4)).isEmpty)
  }

  // MARK: Own edges

  /// What the other account does was learned when the answer was, whatever the own one does since.
  @Test func ownDoingsDoNotProlongWhatIsKnownOfTheOther() async {
    let cache = cache(.init(staleLifetime: .seconds(100)))
    _ = await learn(cache, [1: finding(1)])
    let unfollowed = RelationshipInfo.made(actor: actor, target: Accounts.did(1), follows: false)
    clock.advance(by: .seconds(299))
    await move(cache, to: unfollowed)
    #expect(await cache.isFollowing(actor, Accounts.did(1)) == false)
    clock.advance(by: .seconds(1))
    #expect(await cache.finding(of: actor, with: Accounts.did(1)).isStale)
    await move(cache, to: .made(actor: actor, target: Accounts.did(1), follows: true))
    #expect(await cache.finding(of: actor, with: Accounts.did(1)).isStale)
    clock.advance(by: .seconds(100))
    #expect(await cache.finding(of: actor, with: Accounts.did(1)) == .none)
  }

  private func move(_ cache: RelationshipCache, to info: RelationshipInfo) async {
    await cache.move(info.actor, info.target) { _ in
      info
    } tell: { _, _ in
    }
  }

  // MARK: Changes

  @Test func tellsOnlyDifferences() async {
    let cache = cache()
    #expect(await learn(cache, [1: finding(1)]).isEmpty)
    #expect(await learn(cache, [1: finding(1)]).isEmpty)
    let changes = await learn(cache, [1: finding(1, follows: false)])
    guard case .changed(let before, let after) = changes.first else {
      Issue.record("\(changes)")
      return
    }
    #expect(changes.count == 1)
    #expect(before.isFollowing)
    #expect(!after.isFollowing)
  }

  @Test func takesAnotherRecordForADifference() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1)])
    #expect(await learn(cache, [1: finding(1, key: "3jui7kd54zh2z")]).count == 1)
  }

  @Test func stillKnowsWhatHasEnded() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1)])
    clock.advance(by: .seconds(3_600))
    #expect(await learn(cache, [1: finding(1, follows: false)]).count == 1)
  }

  /// Whoever changed it again before it was told would be told first, and what came last were not how it is.
  @Test func tellsAChangeBeforeItCanBeChangedAgain() async {
    let cache = cache()
    _ = await learn(cache, [1: finding(1)])
    let told = PosixMutex<[RelationshipInfo]>([])
    let (actor, target) = (actor, Accounts.did(1))
    await withTaskGroup { group in
      for number in 0..<400 {
        let info = RelationshipInfo.made(actor: actor, target: target, follows: number.isMultiple(of: 4))
        group.addTask {
          guard number.isMultiple(of: 2) else {
            return await cache.move(actor, target) { _ in
              info
            } tell: { _, now in
              told.withLock { $0.append(now) }
            }
          }
          await cache.learn(
            [target: .known(info)], of: actor, with: [target], askedIn: 0
          ) { news in
            cache.assertIsolated("the news is told where nothing else can happen")
            for case .changed(_, let now) in news { told.withLock { $0.append(now) } }
          }
        }
      }
    }
    let last = told.withLock { $0.last }
    #expect(await cache.isFollowing(actor, target) == last?.isFollowing)
  }

  @Test func tellsChangesInTheOrderOfTheTargets() async {
    let cache = cache()
    let numbers = 1..<30
    _ = await learn(cache, Dictionary(uniqueKeysWithValues: numbers.map { ($0, finding($0)) }))
    let changes = await learn(
      cache, Dictionary(uniqueKeysWithValues: numbers.map { ($0, finding($0, follows: false)) }))
    let targets = changes.map { change in
      if case .changed(_, let after) = change { after.target } else { actor }
    }
    #expect(targets == Accounts.dids(numbers))
  }
}

extension RelationshipCache {
  /// What is freshly remembered of each target.
  func freshFindings(of actor: DID, with targets: [DID]) -> [DID: RelationshipFinding] {
    let found = findingsOfAnyAge(of: actor, with: targets)
    return found.known.filter { !found.stale.contains($0.key) }
  }
}

extension RelationshipCache.Lookup {
  fileprivate var isStale: Bool { if case .stale = self { true } else { false } }
}
