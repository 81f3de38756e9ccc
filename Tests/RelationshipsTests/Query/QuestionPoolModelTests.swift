// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

/// Runs the pool through random days, whose askers come, join and leave in any order.
@Suite struct QuestionPoolModelTests {
  /// What is open about a pair, for those who wait for it.
  private struct OpenPair {
    let pair: PairKey
    /// Nil while it gathers.
    var call: QuestionPool.CallID?
  }

  /// A pool, who waits at it, and the calls that are under way.
  private struct Day {
    static let window = Duration.milliseconds(2)

    var pool: QuestionPool
    var generator: SeededGenerator
    /// Who waits, and for which of the open pairs.
    var waiting: [QuestionPool.AskerID: Set<Int>] = [:]
    /// Every pair that was ever opened.
    var opened: [OpenPair] = []
    /// The open pair that the next asker about it joins.
    var joinable: [PairKey: Int] = [:]
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
      waiting[askersSoFar] = Set(targets.map { join(PairKey(actor, $0)) })
      perform(
        pool.ask(
          actor, about: targets.sorted { "\($0)" < "\($1)" }, for: askersSoFar,
          gathers: Bool.random(using: &generator), at: now))
    }

    private mutating func join(_ pair: PairKey) -> Int {
      if let open = joinable[pair] { return open }
      opened.append(OpenPair(pair: pair))
      joinable[pair] = opened.count - 1
      return opened.count - 1
    }

    mutating func cancel() {
      guard let asker = waiting.keys.sorted().randomElement(using: &generator) else { return }
      waiting[asker] = nil
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
      close(id)
      perform(pool.answered(id, outcome))
    }

    /// A call is over: its pairs are open no longer.
    private mutating func close(_ id: QuestionPool.CallID) {
      joinable = joinable.filter { opened[$0.value].call != id }
      waiting = waiting.mapValues { open in open.filter { opened[$0].call != id } }
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
      if one == other { return }
      let pair = PairKey(one, other)
      pool.forget(pair)
      // What gathers is still to be asked.
      if let open = joinable[pair], opened[open].call != nil { joinable[pair] = nil }
    }

    private mutating func perform(_ actions: [QuestionPool.Action]) {
      for action in actions {
        switch action {
        case .ask(let id, let star):
          #expect(calls.updateValue(star, forKey: id) == nil)
          begin(id, star)
        case .abandon(let id):
          #expect(calls.removeValue(forKey: id) != nil)
          close(id)
        case .wake: isWakeSet = true
        case .deliver(let asker, _): #expect(waiting.removeValue(forKey: asker) != nil)
        }
      }
      // What gathers and nobody waits for is not asked.
      let wanted = waiting.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
      joinable = joinable.filter { opened[$0.value].call != nil || wanted.contains($0.value) }
    }

    private mutating func begin(_ id: QuestionPool.CallID, _ star: Star) {
      for other in star.others {
        guard let open = joinable[PairKey(star.center, other)], opened[open].call == nil else {
          Issue.record("a pair is asked about that does not gather")
          continue
        }
        opened[open].call = id
      }
    }

    /// The calls that somebody waits for.
    var wantedCalls: Set<QuestionPool.CallID> {
      waiting.values.reduce(into: []) { calls, open in calls.formUnion(open.compactMap { opened[$0].call }) }
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
        if day.wantedCalls != Set(day.calls.keys) {
          Issue.record("other calls are under way than those that somebody waits for, seed \(seed)")
          return
        }
      }
      while day.isWakeSet { day.wake() }
      while !day.calls.isEmpty { day.answer() }
      #expect(day.waiting.isEmpty, "somebody waits for ever, seed \(seed)")
    }
  }
}
