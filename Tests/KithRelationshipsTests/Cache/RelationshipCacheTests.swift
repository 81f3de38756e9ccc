// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

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
    _ cache: inout RelationshipCache, _ findings: [Int: RelationshipFinding],
    except invalidated: Set<PairKey> = []
  ) -> [(before: RelationshipInfo, now: RelationshipInfo)] {
    let keyed = Dictionary(uniqueKeysWithValues: findings.map { (Accounts.did($0.key), $0.value) })
    return cache.learn(
      keyed, of: actor, with: findings.keys.sorted().map(Accounts.did), except: invalidated)
  }

  private func cached(_ cache: inout RelationshipCache, _ numbers: Range<Int>) -> [DID] {
    let found = cache.freshFindings(of: actor, with: Accounts.dids(numbers))
    return Accounts.dids(numbers).filter { found[$0] != nil }
  }

  @Test func marksCachedAnswers() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1)])
    let found = cache.freshFindings(of: actor, with: Accounts.dids(1..<3))
    guard case .known(let info) = found[Accounts.did(1)] else {
      Issue.record("\(found)")
      return
    }
    #expect(info.source == .cache)
    #expect(info.isFollowing)
    #expect(found.count == 1)
  }

  @Test func answersFromTheOtherEndToo() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1)])
    guard case .known(let info) = cache.freshFindings(of: Accounts.did(1), with: [actor])[actor] else {
      Issue.record("nothing is known")
      return
    }
    #expect(info.actor == Accounts.did(1))
    #expect(info.target == actor)
    #expect(info.followedBy == ATURI("at://\(actor)/app.bsky.graph.follow/3jui7kd54zh2y"))
    #expect(info.following == nil)
  }

  @Test func anAbsenceSaysNothingAboutTheOtherAccount() {
    var cache = cache()
    _ = learn(&cache, [1: .notFound])
    #expect(cache.finding(of: actor, with: Accounts.did(1)) == .fresh(.notFound))
    #expect(cache.finding(of: Accounts.did(1), with: actor) == .none)
  }

  @Test func entriesExpire() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1), 2: .notFound])
    clock.advance(by: .seconds(60) - .nanoseconds(1))
    #expect(cached(&cache, 1..<3) == Accounts.dids(1..<3))
    clock.advance(by: .nanoseconds(1))
    #expect(cached(&cache, 1..<3) == [Accounts.did(1)])
    clock.advance(by: .seconds(240))
    #expect(cached(&cache, 1..<3).isEmpty)
  }

  @Test func anAbsenceNeverOutlivesAPresence() {
    #expect(RelationshipCache.Policy(lifetime: .seconds(5)).absenceLifetime == .seconds(5))
  }

  @Test func staysWithinItsCapacity() {
    var cache = cache(.init(capacity: 2))
    for number in 1..<4 { _ = learn(&cache, [number: finding(number)]) }
    #expect(cached(&cache, 1..<4) == Accounts.dids(2..<4))
    let statistics = cache.statistics
    #expect(statistics.count == 2)
    #expect(statistics.evictions == 1)
  }

  @Test(arguments: [RelationshipCache.Policy.off, .init(lifetime: .zero), .init(capacity: 0)])
  func keepsNothingWhenItIsOff(policy: RelationshipCache.Policy) {
    var cache = cache(policy)
    _ = learn(&cache, [1: finding(1), 2: .notFound])
    cache.learn(existing: [], among: Accounts.dids(1..<3), askedIn: cache.generation)
    #expect(cached(&cache, 1..<3).isEmpty)
    #expect(cache.existence(of: Accounts.dids(1..<3)).isEmpty)
  }

  @Test func countsHitsMissesAndEvictions() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1)])
    _ = cached(&cache, 1..<4)
    let statistics = cache.statistics
    #expect(statistics.hits == 1)
    #expect(statistics.misses == 2)
    #expect(statistics.evictions == 0)
    #expect(statistics.count == 1)
  }

  @Test func prunesOnlyExpiredEntries() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1), 2: .notFound, 3: .notFound])
    #expect(cache.prune() == 0)
    clock.advance(by: .seconds(60))
    #expect(cache.statistics.count == 3)
    #expect(cache.prune() == 2)
    #expect(cache.statistics.count == 1)
    #expect(cached(&cache, 1..<4) == [Accounts.did(1)])
  }

  @Test func removesOnePairOrAll() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1), 2: finding(2)])
    cache.expire(actor: actor, target: Accounts.did(1))
    #expect(cached(&cache, 1..<3) == [Accounts.did(2)])
    cache.removeAll(keepingCompared: false)
    #expect(cached(&cache, 1..<3).isEmpty)
    #expect(cache.statistics.count == 0)
  }

  @Test func doesNotCacheAnswersToRequestsBeforeAnInvalidation() {
    var cache = cache()
    let generation = cache.generation
    let forgotten = Set([PairKey(actor, Accounts.did(1)), PairKey(actor, Accounts.did(2))])
    let findings = Dictionary(uniqueKeysWithValues: (1..<4).map { ($0, finding($0)) })
    #expect(learn(&cache, findings, except: forgotten).isEmpty)
    #expect(cached(&cache, 1..<4) == [Accounts.did(3)])
    let targets = Accounts.dids(1..<4)
    cache.expire(actor: actor, target: Accounts.did(2))
    cache.learn(existing: Set(targets), among: targets, askedIn: generation)
    #expect(cache.existence(of: targets).isEmpty)
    cache.learn(existing: Set(targets), among: targets, askedIn: cache.generation)
    cache.removeAll(keepingCompared: false)
    #expect(cache.existence(of: targets).isEmpty)
    #expect(cache.statistics.count == 0)
  }

  /// Q2: existence is not part of a pair's answer.
  @Test func cachesExistenceWithTheSameLifetimes() {
    var cache = cache()
    cache.learn(existing: [Accounts.did(1)], among: Accounts.dids(1..<3), askedIn: cache.generation)
    #expect(
      cache.existence(of: Accounts.dids(1..<4)) == [Accounts.did(1): true, Accounts.did(2): false])
    clock.advance(by: .seconds(60))
    #expect(cache.existence(of: Accounts.dids(1..<4)) == [Accounts.did(1): true])
    cache.expire(actor: actor, target: Accounts.did(1))
    #expect(cache.existence(of: Accounts.dids(1..<4)).isEmpty)
  }

  // MARK: Own edges

  /// The other account's edges are as old as the answer, whatever the actor has changed since.
  @Test func ownChangesDoNotExtendTheLifetime() {
    var cache = cache(.init(staleLifetime: .seconds(100)))
    _ = learn(&cache, [1: finding(1)])
    let unfollowed = RelationshipInfo.made(actor: actor, target: Accounts.did(1), follows: false)
    clock.advance(by: .seconds(299))
    move(&cache, to: unfollowed)
    #expect(cache.isFollowing(actor, Accounts.did(1)) == false)
    clock.advance(by: .seconds(1))
    #expect(cache.finding(of: actor, with: Accounts.did(1)).isStale)
    move(&cache, to: .made(actor: actor, target: Accounts.did(1), follows: true))
    #expect(cache.finding(of: actor, with: Accounts.did(1)).isStale)
    clock.advance(by: .seconds(100))
    #expect(cache.finding(of: actor, with: Accounts.did(1)) == .none)
  }

  private func move(_ cache: inout RelationshipCache, to info: RelationshipInfo) {
    _ = cache.move(info.actor, info.target, isExpected: true, isRollback: false) { _ in info }
  }

  // MARK: Changes

  @Test func reportsOnlyDifferences() {
    var cache = cache()
    #expect(learn(&cache, [1: finding(1)]).isEmpty)
    #expect(learn(&cache, [1: finding(1)]).isEmpty)
    let changes = learn(&cache, [1: finding(1, follows: false)])
    #expect(changes.map(\.before.isFollowing) == [true])
    #expect(changes.map(\.now.isFollowing) == [false])
  }

  @Test func reportsAnotherRecordAsADifference() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1)])
    #expect(learn(&cache, [1: finding(1, key: "3jui7kd54zh2z")]).count == 1)
  }

  @Test func comparesWithExpiredAnswers() {
    var cache = cache()
    _ = learn(&cache, [1: finding(1)])
    clock.advance(by: .seconds(3_600))
    #expect(learn(&cache, [1: finding(1, follows: false)]).count == 1)
  }

  @Test func reportsChangesInTheOrderOfTheTargets() {
    var cache = cache()
    let numbers = 1..<30
    _ = learn(&cache, Dictionary(uniqueKeysWithValues: numbers.map { ($0, finding($0)) }))
    let changes = learn(
      &cache, Dictionary(uniqueKeysWithValues: numbers.map { ($0, finding($0, follows: false)) }))
    #expect(changes.map(\.now.target) == Accounts.dids(numbers))
  }
}

extension RelationshipCache {
  /// The fresh findings of the targets.
  mutating func freshFindings(of actor: DID, with targets: [DID]) -> [DID: RelationshipFinding] {
    var found: [DID: RelationshipFinding] = [:]
    for target in targets {
      if case .fresh(let finding) = finding(of: actor, with: target) { found[target] = finding }
    }
    return found
  }
}

extension RelationshipCache.Lookup {
  var isStale: Bool { if case .stale = self { true } else { false } }
}
