// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The fast lookups of a ``RelationshipCache``.
@Suite struct RelationshipCacheLookupTests {
  private let clock = ManualClock()
  private let actor = Accounts.did(0)

  /// The actor follows 1 and not 2, 3 is not found, and the follow of 4 is cached for longer than the
  /// others.
  private func filled(stale: Duration = .zero) -> RelationshipCache {
    var cache = RelationshipCache(
      policy: .init(lifetime: .seconds(100), absenceLifetime: .seconds(100), staleLifetime: stale),
      time: clock.timeSource())
    learn(&cache, [1: true, 2: false, 3: nil])
    clock.advance(by: .seconds(50))
    learn(&cache, [4: true])
    return cache
  }

  private func learn(_ cache: inout RelationshipCache, _ follows: [Int: Bool?]) {
    var findings: [DID: RelationshipFinding] = [:]
    for (number, follows) in follows {
      let target = Accounts.did(number)
      findings[target] =
        follows.map { .known(.made(actor: actor, target: target, follows: $0)) } ?? .notFound
    }
    _ = cache.learn(findings, of: actor, with: Array(findings.keys))
  }

  @Test func returnsWhichTargetsTheActorFollows() {
    var cache = filled()
    let found = cache.follows(of: actor, among: [5, 4, 3, 2, 1, 0, 6, 1].map(Accounts.did))
    #expect(
      found.known == [
        Accounts.did(4): true, Accounts.did(2): false, Accounts.did(1): true, actor: false,
      ])
    #expect(found.missing == [5, 6].map(Accounts.did))
    #expect(found.stale.isEmpty)
    let statistics = cache.statistics
    #expect(statistics.hits == 6)
    #expect(statistics.misses == 0)
  }

  @Test func returnsWhichTargetsFollowTheActor() {
    var cache = filled()
    #expect(cache.follows(of: Accounts.did(1), among: [actor]).known == [actor: false])
    #expect(cache.follows(of: Accounts.did(3), among: [actor]).missing == [actor])
  }

  @Test func answersASingleQuery() {
    var cache = filled()
    #expect(cache.isFollowing(actor, Accounts.did(1)) == true)
    #expect(cache.isFollowing(actor, Accounts.did(2)) == false)
    #expect(cache.isFollowing(Accounts.did(1), actor) == false)
    #expect(cache.isFollowing(actor, actor) == false)
    #expect(cache.isFollowing(actor, Accounts.did(3)) == nil)
    #expect(cache.isFollowing(actor, Accounts.did(5)) == nil)
    #expect(cache.statistics.hits == 3)
    #expect(cache.finding(of: actor, with: Accounts.did(3)) == .fresh(.notFound))
    #expect(cache.finding(of: actor, with: Accounts.did(5)) == .none)
    #expect(cache.statistics.misses == 1)
  }

  @Test func returnsStaleEntriesOnlyIfTheyCanBeMarked() {
    var cache = filled(stale: .seconds(30))
    clock.advance(by: .seconds(50))
    let targets = [1, 2, 3, 4].map(Accounts.did)
    #expect(cache.isFollowing(actor, targets[0]) == nil)
    #expect(Set(cache.freshFindings(of: actor, with: targets).keys) == [targets[3]])
    for target in targets.prefix(2) {
      #expect(cache.finding(of: actor, with: target).isStale)
      #expect(cache.finding(of: actor, with: target).isStale)
    }
    #expect(cache.finding(of: actor, with: targets[2]) == .none)
    let follows = cache.follows(of: actor, among: targets)
    #expect(follows.known == [targets[0]: true, targets[1]: false, targets[3]: true])
    #expect(follows.stale == [targets[0], targets[1]])
    #expect(follows.missing == [targets[2]])
    #expect(cache.finding(of: actor, with: targets[0]).isStale)
    #expect(cache.statistics.staleHits == 9)
    clock.advance(by: .seconds(30))
    #expect(cache.finding(of: actor, with: targets[0]) == .none)
  }

  @Test func ignoresAnswersAboutOtherAccounts() {
    var cache = filled()
    let answer = RelationshipInfo.made(actor: actor, target: Accounts.did(8), follows: true)
    _ = cache.learn([Accounts.did(7): .known(answer)], of: actor, with: [Accounts.did(7)])
    #expect(cache.freshFindings(of: actor, with: Accounts.dids(7..<9)).isEmpty)
  }
}
