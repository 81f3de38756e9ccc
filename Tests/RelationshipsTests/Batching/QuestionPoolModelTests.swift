// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

/// Runs the pool through random days, whose askers come, join and leave in any order.
@Suite struct QuestionPoolModelTests {
  /// A pool, who waits at it, and the calls that are under way.
  private struct Day {
    static let window = Duration.milliseconds(2)

    var pool: QuestionPool
    var generator: SeededGenerator
    var waiting: Set<QuestionPool.AskerID> = []
    var calls: [QuestionPool.CallID: Star] = [:]
    var askersSoFar = 0
    var now = Duration.zero
    var isWakeSet = false

    init(seed: UInt64, atMost size: Int) {
      generator = SeededGenerator(seed: seed)
      pool = QuestionPool(atMost: size, window: Self.window)
    }

    /// Few accounts, so that many ask the same.
    private mutating func account() -> DID { Accounts.did(Int.random(in: 0..<6, using: &generator)) }

    mutating func ask() {
      let actor = account()
      let count = Int.random(in: 1...4, using: &generator)
      let targets = Set((0..<count).map { _ in account() }).subtracting([actor])
      if targets.isEmpty { return }
      askersSoFar += 1
      waiting.insert(askersSoFar)
      perform(
        pool.ask(
          actor, about: targets.sorted { "\($0)" < "\($1)" }, for: askersSoFar,
          gathers: Bool.random(using: &generator), at: now))
    }

    mutating func cancel() {
      guard let asker = waiting.sorted().randomElement(using: &generator) else { return }
      waiting.remove(asker)
      perform(pool.cancelled(asker))
    }

    mutating func answer() {
      guard let id = calls.keys.sorted().randomElement(using: &generator),
        let star = calls.removeValue(forKey: id)
      else { return }
      let outcome: Result<Findings, RelationshipError> =
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .failure(.actorNotFound(star.center))
        case 1: .failure(.clientNotConfigured)
        default: .success(findings(of: star))
        }
      perform(pool.answered(id, outcome))
    }

    private mutating func findings(of star: Star) -> Findings {
      var findings = Findings()
      for other in star.others {
        let isKnown = Int.random(in: 0..<4, using: &generator) > 0
        let info = RelationshipInfo.made(actor: star.center, target: other, follows: true)
        findings.append(isKnown ? .known(info) : .notFound, of: other)
      }
      return findings
    }

    mutating func wake() {
      guard isWakeSet else { return }
      isWakeSet = false
      now += Self.window
      perform(pool.windowEnded(at: now))
    }

    mutating func forget() {
      let (one, other) = (account(), account())
      if one != other { pool.forget(PairKey(one, other)) }
    }

    private mutating func perform(_ actions: [QuestionPool.Action]) {
      for action in actions {
        switch action {
        case .ask(let id, let star): #expect(calls.updateValue(star, forKey: id) == nil)
        case .abandon(let id): #expect(calls.removeValue(forKey: id) != nil)
        case .wake: isWakeSet = true
        case .deliver(let asker, _): #expect(waiting.remove(asker) != nil)
        }
      }
    }
  }

  @Test(arguments: [1, 2, 4]) func nobodyHangsAndNoCallIsWantedByNobody(size: Int) {
    for seed in 0..<120 as Range<UInt64> {
      var day = Day(seed: seed, atMost: size)
      for _ in 0..<150 {
        switch Int.random(in: 0..<10, using: &day.generator) {
        case 0..<4: day.ask()
        case 4..<7: day.cancel()
        case 7: day.answer()
        case 8: day.wake()
        default: day.forget()
        }
        if !day.pool.countsWhoWaits {
          Issue.record("a call is wanted by other pairs than those that are waited for, seed \(seed)")
          return
        }
      }
      while day.isWakeSet { day.wake() }
      while !day.calls.isEmpty { day.answer() }
      #expect(day.waiting.isEmpty, "somebody waits for ever, seed \(seed)")
    }
  }
}
