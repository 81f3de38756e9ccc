// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Runs random operations on the coalescer, with callers that request, join and leave in any order.
@Suite struct RequestCoalescerModelTests {
  /// The open state of a pair, for its waiters.
  private struct OpenPair {
    let pair: PairKey
    /// Nil until it is sent.
    var batch: RequestCoalescer.BatchID?
  }

  /// A coalescer, its waiters, and the batches in progress.
  private struct Day: ~Copyable {
    static let window = Duration.milliseconds(2)

    var coalescer: RequestCoalescer
    let size: Int
    let concurrency: Int
    var generator: SeededGenerator
    /// The waiters, and their open pairs by slot.
    var waiting: [RequestCoalescer.CallerID: [Int: Int]] = [:]
    /// Every pair that was ever opened.
    var opened: [OpenPair] = []
    /// The open pair that the next request joins.
    var joinable: [PairKey: Int] = [:]
    var batches: [RequestCoalescer.BatchID: Batch] = [:]
    var now = Duration.zero

    init(seed: UInt64, size: Int, concurrency: Int) {
      generator = SeededGenerator(seed: seed)
      self.size = size
      self.concurrency = concurrency
      coalescer = RequestCoalescer(size: size, concurrency: concurrency)
    }

    /// Few accounts, so that many requests coincide.
    private mutating func account() -> DID { Accounts.did(Int.random(in: 0..<6, using: &generator)) }

    mutating func request() {
      let actor = account()
      let count = Int.random(in: 1...6, using: &generator)
      let targets = (0..<count).map { _ in account() }.filter { $0 != actor }
      let caller = coalescer.newCaller()
      var requests: [RequestCoalescer.Request] = []
      for (slot, target) in targets.enumerated() {
        waiting[caller, default: [:]][slot] = join(PairKey(actor, target))
        let due =
          [nil, now, now + Self.window, now + Self.window * 5].randomElement(using: &generator) ?? nil
        requests.append(RequestCoalescer.Request(actor, target, slot: slot, due: due))
      }
      perform(coalescer.request(actor, about: requests, for: caller, at: now))
    }

    private mutating func join(_ pair: PairKey) -> Int {
      if let open = joinable[pair] { return open }
      opened.append(OpenPair(pair: pair))
      joinable[pair] = opened.count - 1
      return opened.count - 1
    }

    private mutating func anyCaller() -> RequestCoalescer.CallerID? {
      waiting.keys.sorted().randomElement(using: &generator)
    }

    mutating func cancel() {
      guard let caller = anyCaller(), let open = waiting.removeValue(forKey: caller) else { return }
      perform(coalescer.cancel(caller, of: open.values.map { opened[$0].pair }, at: now))
    }

    mutating func flush() {
      if let caller = anyCaller() { perform(coalescer.flush(caller, at: now)) }
    }

    mutating func answer() {
      guard let id = batches.keys.sorted().randomElement(using: &generator),
        let batch = batches.removeValue(forKey: id)
      else { return }
      let outcome: Result<[RelationshipFinding], RelationshipError> =
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .failure(.actorNotFound(batch.center))
        case 1: .failure(.clientNotConfigured)
        default: .success(findings(of: batch))
        }
      joinable = joinable.filter { opened[$0.value].batch != id }
      perform(coalescer.answered(id, outcome, at: now), ending: id)
      // Every waiter for one of its pairs was answered.
      for open in waiting.values.flatMap(\.values) where opened[open].batch == id {
        Issue.record("a waiter did not get its answer")
      }
    }

    private mutating func findings(of batch: Batch) -> [RelationshipFinding] {
      var findings: [RelationshipFinding] = []
      for other in batch.others {
        let isKnown = Int.random(in: 0..<4, using: &generator) > 0
        findings.append(
          isKnown ? .known(.made(actor: batch.center, target: other, follows: true)) : .notFound)
      }
      return findings
    }

    mutating func pass() {
      now += Self.window
      perform(coalescer.elapsed(at: now))
    }

    mutating func invalidate() {
      let (one, other) = (account(), account())
      if one == other { return }
      let pair = PairKey(one, other)
      coalescer.invalidate(pair)
      // Unsent pairs are still requested.
      if let open = joinable[pair], opened[open].batch != nil { joinable[pair] = nil }
    }

    private mutating func perform(
      _ actions: [RequestCoalescer.Action], ending: RequestCoalescer.BatchID? = nil
    ) {
      for action in actions {
        switch action {
        case .send(let id, let batch):
          #expect(batches.updateValue(batch, forKey: id) == nil)
          #expect((1...size).contains(batch.others.count))
          begin(id, batch)
        case .abandon(let id):
          #expect(batches.removeValue(forKey: id) != nil)
          joinable = joinable.filter { opened[$0.value].batch != id }
        case .deliver(let caller, let deliveries):
          for delivery in deliveries {
            let open = waiting[caller]?.removeValue(forKey: delivery.slot)
            #expect(
              open.map { opened[$0].batch } == ending, "an answer without a waiter, or from another batch")
          }
          if waiting[caller]?.isEmpty == true { waiting[caller] = nil }
        }
      }
      // An unsent pair without waiters is not requested.
      let wanted = Set(waiting.values.flatMap(\.values))
      joinable = joinable.filter { opened[$0.value].batch != nil || wanted.contains($0.value) }
      #expect(batches.count <= concurrency)
    }

    private mutating func begin(_ id: RequestCoalescer.BatchID, _ batch: Batch) {
      for other in batch.others {
        guard let open = joinable[PairKey(batch.center, other)], opened[open].batch == nil else {
          Issue.record("a pair is asked about that does not wait for it")
          continue
        }
        opened[open].batch = id
      }
    }

    /// The batches with waiters.
    var wantedBatches: Set<RequestCoalescer.BatchID> {
      Set(waiting.values.flatMap(\.values).compactMap { opened[$0].batch })
    }
  }

  @Test(arguments: [(1, 2), (2, 1), (4, 3), (4, 100)])
  func everyWaiterIsAnsweredOnceAndEveryCallHasAWaiter(size: Int, concurrency: Int) {
    for seed in CaseSample.of(0..<120 as Range<UInt64>, one: 4) {
      var day = Day(seed: seed, size: size, concurrency: concurrency)
      for _ in 0..<150 {
        switch Int.random(in: 0..<12, using: &day.generator) {
        case 0..<4: day.request()
        case 4..<6: day.cancel()
        case 6..<9: day.answer()
        case 9: day.pass()
        case 10: day.flush()
        default: day.invalidate()
        }
        if day.wantedBatches != Set(day.batches.keys) {
          Issue.record("the batches in progress are not those with waiters, seed \(seed)")
          return
        }
      }
      var rounds = 0
      while !day.waiting.isEmpty, rounds < 1_000 {
        rounds += 1
        day.flush()
        day.answer()
      }
      #expect(day.waiting.isEmpty, "a waiter was never answered, seed \(seed)")
      #expect(day.batches.isEmpty)
    }
  }

  /// Pending pairs are sent in the order in which they became due: a stream of full batches does not starve
  /// a single request.
  @Test func noRequestStarves() {
    for seed in 0..<60 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let coalescer = SharedCoalescer(size: 3, concurrency: 2)
      let (single, many) = (1, 2)
      var next = 100
      var underWay: [RequestCoalescer.BatchID] = []
      var sentAfterDue = 0
      var isSent = false
      func perform(_ actions: [RequestCoalescer.Action]) {
        for case .send(let id, let batch) in actions {
          underWay.append(id)
          if batch.others.contains(Accounts.did(1)) { isSent = true } else { sentAfterDue += 1 }
        }
      }
      func ask(at now: Duration) {
        let count = Int.random(in: 3...9, using: &generator)
        perform(coalescer.request(Accounts.did(0), Accounts.dids(next..<next + count), for: many, at: now))
        next += count
      }
      for _ in 0..<3 { ask(at: .zero) }
      let waiting = (next - 100 + 2) / 3
      perform(coalescer.request(Accounts.did(2), Accounts.did(1), for: single, due: .milliseconds(2)))
      sentAfterDue = 0
      while !isSent, sentAfterDue < 100 {
        ask(at: .milliseconds(3))
        let position = Int.random(in: underWay.indices, using: &generator)
        perform(
          coalescer.answered(
            underWay.remove(at: position), .failure(.clientNotConfigured), at: .milliseconds(3)))
      }
      #expect(isSent && sentAfterDue <= waiting, "seed \(seed)")
    }
  }
}
