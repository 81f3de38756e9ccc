// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct RequestCoalescerTests {
  private typealias Action = RequestCoalescer.Action
  private typealias Delivery = RequestCoalescer.Delivery
  private let alice = Accounts.did(1)
  private let bob = Accounts.did(2)
  private let carol = Accounts.did(3)
  private let window = Duration.milliseconds(2)

  private func coalescer(size: Int = 30, concurrency: Int = 8) -> SharedCoalescer {
    SharedCoalescer(size: size, concurrency: concurrency)
  }

  private func info(_ actor: DID, _ target: DID) -> RelationshipInfo {
    .made(actor: actor, target: target, follows: true)
  }

  private func send(_ id: Int, _ center: DID, _ others: DID...) -> Action {
    .send(id, Batch(center: center, others: others))
  }

  private func deliver(_ caller: Int, _ finding: RelationshipFinding, slot: Int = 0) -> Action {
    .deliver(caller, [Delivery(slot: slot, outcome: .finding(finding))])
  }

  // MARK: Batches

  @Test func waitsFromTheFirstRequestOn() {
    let coalescer = coalescer()
    #expect(coalescer.request(alice, bob, for: 1, due: window) == [])
    #expect(coalescer.wakeUp == window)
    #expect(
      coalescer.request(alice, carol, for: 2, due: .milliseconds(3), at: .milliseconds(1)) == [])
    #expect(coalescer.wakeUp == window)
    #expect(coalescer.elapsed(at: window) == [send(1, alice, bob, carol)])
    #expect(coalescer.wakeUp == nil)
  }

  @Test func sendsImmediatelyDueRequests() {
    let coalescer = coalescer()
    #expect(coalescer.request(alice, bob, for: 1, due: .zero) == [send(1, alice, bob)])
  }

  @Test func sendsAFullBatchAndLetsTheRestWait() {
    let coalescer = coalescer(size: 2)
    _ = coalescer.request(bob, carol, for: 1, due: window)
    _ = coalescer.request(alice, Accounts.did(4), for: 2, due: .milliseconds(3))
    // From the other end of both: two are about carol.
    #expect(
      coalescer.request(alice, carol, for: 3, due: .milliseconds(3))
        == [send(1, alice, Accounts.did(4), carol)])
    #expect(coalescer.elapsed(at: window) == [send(2, bob, carol)])
  }

  @Test func splitsManyTargetsIntoFullBatchesAndKeepsTheRest() {
    let coalescer = coalescer(size: 3)
    let targets = Accounts.dids(10..<17)
    #expect(
      coalescer.request(alice, targets, for: 1)
        == [
          .send(1, Batch(center: alice, others: Accounts.dids(10..<13))),
          .send(2, Batch(center: alice, others: Accounts.dids(13..<16))),
        ])
    #expect(coalescer.pendingCount(of: 1) == 1)
    #expect(coalescer.wakeUp == nil)
    #expect(coalescer.flush(1, at: .zero) == [send(3, alice, Accounts.did(16))])
    #expect(coalescer.pendingCount(of: 1) == 0)
  }

  @Test func fillsTheRestWithTheNextRequests() {
    let coalescer = coalescer(size: 3)
    _ = coalescer.request(alice, Accounts.dids(10..<12), for: 1)
    #expect(
      coalescer.request(alice, Accounts.dids(12..<15), for: 2)
        == [.send(1, Batch(center: alice, others: Accounts.dids(10..<13)))])
    #expect(coalescer.pendingCount(of: 1) == 0)
    #expect(coalescer.pendingCount(of: 2) == 2)
  }

  @Test func requestsManyPairsOfOneTargetFromThatTarget() {
    let coalescer = coalescer()
    for number in 0..<10 { _ = coalescer.request(Accounts.did(10 + number), alice, for: number, due: window) }
    #expect(
      coalescer.elapsed(at: window) == [.send(1, Batch(center: alice, others: Accounts.dids(10..<20)))])
  }

  /// A batch that is sent anyway includes pairs that would have waited longer.
  @Test func fillsADueBatchWithPairsThatAreNotDue() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, [carol, Accounts.did(4)], for: 1)
    #expect(
      coalescer.request(alice, bob, for: 2, due: .zero) == [send(1, alice, bob, carol, Accounts.did(4))])
  }

  // MARK: Concurrency

  @Test func sendsNoMoreBatchesThanTheConcurrencyLimit() {
    let coalescer = coalescer(size: 1, concurrency: 2)
    #expect(coalescer.request(alice, [bob, carol, Accounts.did(4)], for: 1).count == 2)
    #expect(
      coalescer.answered(1, .success([.notFound]), at: .zero)
        == [deliver(1, .notFound), send(3, alice, Accounts.did(4))])
  }

  @Test func sendsDuePairsBeforeLaterBatches() {
    let coalescer = coalescer(size: 2, concurrency: 1)
    _ = coalescer.request(alice, Accounts.dids(10..<12), for: 1)
    _ = coalescer.request(bob, carol, for: 2, due: window)
    _ = coalescer.request(alice, Accounts.dids(12..<16), for: 1, at: .milliseconds(3))
    #expect(coalescer.wakeUp == nil)
    #expect(
      coalescer.answered(1, .failure(.clientNotConfigured), at: .milliseconds(4)).last == send(4, bob, carol))
  }

  /// Pairs that wait for a free slot are not sent in a partial batch meanwhile.
  @Test func keepsGatheringWhileAllSlotsAreInUse() {
    let coalescer = coalescer(concurrency: 1)
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    #expect(coalescer.request(alice, carol, for: 2, due: window) == [])
    #expect(coalescer.elapsed(at: window) == [])
    #expect(coalescer.request(alice, Accounts.did(4), for: 3, due: .milliseconds(5)) == [])
    #expect(
      coalescer.answered(1, .success([.notFound]), at: window)
        == [deliver(1, .notFound), send(2, alice, carol, Accounts.did(4))])
  }

  // MARK: Sharing

  @Test func answersEachWaiterOfAPairFromItsEnd() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    #expect(coalescer.request(bob, alice, for: 2, due: .zero) == [])
    #expect(
      coalescer.answered(1, .success([.known(info(alice, bob))]), at: .zero)
        == [deliver(1, .known(info(alice, bob))), deliver(2, .known(info(alice, bob).swapped))])
  }

  @Test func answersADuplicateTargetTwice() {
    let coalescer = coalescer()
    let requests = [0, 1].map { RequestCoalescer.Request(alice, bob, slot: $0, due: .zero) }
    #expect(coalescer.request(alice, about: requests, for: 1, at: .zero) == [send(1, alice, bob)])
    #expect(
      coalescer.answered(1, .success([.notFound]), at: .zero)
        == [.deliver(1, [0, 1].map { Delivery(slot: $0, outcome: .finding(.notFound)) })])
  }

  @Test func anUrgentRequestHastensAPair() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, [bob], for: 1)
    #expect(coalescer.wakeUp == nil)
    _ = coalescer.request(bob, alice, for: 2, due: window)
    #expect(coalescer.wakeUp == window)
    #expect(coalescer.elapsed(at: window) == [send(1, alice, bob)])
  }

  @Test func failsOnlyWaitersOfAFailedBatch() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    _ = coalescer.request(alice, carol, for: 2, due: .zero)
    #expect(
      coalescer.answered(1, .failure(.clientNotConfigured), at: .zero)
        == [deliver(1, .failed(.clientNotConfigured))])
    #expect(coalescer.answered(2, .success([.notFound]), at: .zero) == [deliver(2, .notFound)])
  }

  @Test func failsPairsMissingFromTheAnswer() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    #expect(coalescer.answered(1, .success([]), at: .zero) == [deliver(1, .failed(.invalidResponse))])
  }

  /// The center of a batch is a target for callers from the other end (Q3).
  @Test func reportsTheMissingAccountByTheEndOfTheCaller() {
    let coalescer = coalescer()
    func failed(_ caller: Int, _ error: RelationshipError) -> Action {
      .deliver(caller, [Delivery(slot: 0, outcome: .noActor(error))])
    }
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    _ = coalescer.request(bob, alice, for: 2, due: .zero)
    #expect(
      coalescer.answered(1, .failure(.actorNotFound(alice)), at: .zero)
        == [failed(1, .actorNotFound(alice)), deliver(2, .notFound)])
    _ = coalescer.request(alice, bob, for: 3, due: .zero)
    _ = coalescer.request(bob, alice, for: 4, due: .zero)
    #expect(
      coalescer.answered(2, .success([.notFound]), at: .zero)
        == [deliver(3, .notFound), failed(4, .actorNotFound(bob))])
  }

  // MARK: Refreshing

  @Test func refreshesWithoutWaitersAndDeliversNothing() {
    let coalescer = coalescer()
    #expect(coalescer.refresh(alice, [bob], due: .zero, at: .zero) == [send(1, alice, bob)])
    #expect(coalescer.answered(1, .success([.notFound]), at: .zero) == [])
  }

  @Test func limitsRefreshesAndSkipsRequestedPairs() {
    let coalescer = coalescer(size: 2)
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    #expect(coalescer.refresh(alice, [bob], due: .zero, at: .zero) == [])
    let sent = coalescer.refresh(alice, Accounts.dids(10..<30), due: .zero, at: .zero)
    #expect(sent.count == 4)
    #expect(coalescer.refresh(alice, Accounts.dids(30..<40), due: .zero, at: .zero) == [])
    _ = coalescer.answered(2, .success([]), at: .zero)
    #expect(coalescer.refresh(alice, Accounts.dids(30..<40), due: .zero, at: .zero).count == 1)
  }

  // MARK: Cancelling

  @Test func keepsARequestForItsLastWaiter() {
    let coalescer = coalescer()
    for caller in 1...50 { _ = coalescer.request(alice, bob, for: caller, due: window) }
    for caller in 1...49 { #expect(coalescer.cancel(caller, alice, bob) == []) }
    #expect(coalescer.elapsed(at: window) == [send(1, alice, bob)])
    #expect(coalescer.answered(1, .success([.notFound]), at: .zero) == [deliver(50, .notFound)])
  }

  @Test func makesNoRequestForCancelledWaiters() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: window)
    #expect(coalescer.cancel(1, alice, bob) == [])
    #expect(coalescer.elapsed(at: window) == [])
    #expect(coalescer.wakeUp == nil)
  }

  @Test func removesCancelledPairsFromAReadyBatch() {
    let coalescer = coalescer(size: 2, concurrency: 1)
    _ = coalescer.request(alice, [bob, carol], for: 1)
    _ = coalescer.request(alice, Accounts.dids(10..<12), for: 2)
    _ = coalescer.request(alice, Accounts.dids(12..<14), for: 3)
    #expect(coalescer.cancel(2, alice, Accounts.did(10)) == [])
    #expect(coalescer.cancel(3, of: Accounts.dids(12..<14).map { PairKey(alice, $0) }, at: .zero) == [])
    #expect(
      coalescer.answered(1, .failure(.clientNotConfigured), at: .zero).last
        == send(2, alice, Accounts.did(11)))
    #expect(coalescer.answered(2, .failure(.clientNotConfigured), at: .zero).count == 1)
  }

  @Test func abandonsABatchWithoutWaitersAndSendsTheNext() {
    let coalescer = coalescer(size: 2, concurrency: 1)
    _ = coalescer.request(alice, [bob, carol], for: 1)
    _ = coalescer.request(carol, alice, for: 2, due: window)
    _ = coalescer.request(alice, Accounts.dids(10..<12), for: 3)
    #expect(coalescer.cancel(1, of: [PairKey(alice, bob), PairKey(alice, carol)], at: .zero) == [])
    #expect(
      coalescer.cancel(2, carol, alice)
        == [.abandon(1), .send(2, Batch(center: alice, others: Accounts.dids(10..<12)))])
    #expect(coalescer.answered(1, .success([]), at: .zero) == [])
    #expect(!coalescer.isOpen(1))
  }

  @Test func requestsAgainAfterAnAbandonedBatch() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    _ = coalescer.cancel(1, alice, bob)
    #expect(coalescer.request(alice, bob, for: 2, due: .zero) == [send(2, alice, bob)])
  }

  /// A pair whose last waiter left gets a new waiter, and its batch must not end with the waiters of the
  /// other pair.
  @Test func answersAWaiterThatJoinsAnAbandonedPair() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: window)
    _ = coalescer.request(alice, carol, for: 2, due: window)
    _ = coalescer.elapsed(at: window)
    #expect(coalescer.cancel(1, alice, bob) == [])
    #expect(coalescer.request(alice, bob, for: 3, due: window) == [])
    #expect(coalescer.cancel(2, alice, carol) == [])
    #expect(
      coalescer.answered(1, .success([.notFound, .notFound]), at: window)
        == [deliver(3, .notFound)])
  }

  @Test func answersTheOthersOfABatchAfterAJoinedWaiterLeaves() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: window)
    _ = coalescer.request(alice, carol, for: 2, due: window)
    _ = coalescer.elapsed(at: window)
    _ = coalescer.cancel(1, alice, bob)
    _ = coalescer.request(alice, bob, for: 3, due: window)
    #expect(coalescer.cancel(3, alice, bob) == [])
    #expect(
      coalescer.answered(1, .success([.notFound, .notFound]), at: window)
        == [deliver(2, .notFound)])
  }

  // MARK: Invalidating

  @Test func remembersTheFirstEndOfAPair() {
    let coalescer = coalescer()
    _ = coalescer.request(bob, alice, for: 1, due: window)
    _ = coalescer.request(alice, carol, for: 2, due: window)
    #expect(coalescer.elapsed(at: window) == [send(1, alice, bob, carol)])
    #expect(coalescer.isReversed(PairKey(alice, bob), in: 1))
    #expect(!coalescer.isReversed(PairKey(alice, carol), in: 1))
    coalescer.invalidateAll()
    _ = coalescer.request(alice, bob, for: 3, due: window, at: window)
    #expect(coalescer.isReversed(PairKey(alice, bob), in: 1))
    #expect(!coalescer.isReversed(PairKey(alice, bob), in: 2))
  }

  @Test func requestsAnInvalidatedPairAgainAndStillAnswersEarlierWaiters() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    coalescer.invalidate(PairKey(bob, alice))
    #expect(coalescer.invalidated(in: 1) == [PairKey(alice, bob)])
    #expect(coalescer.request(alice, bob, for: 2, due: .zero) == [send(2, alice, bob)])
    #expect(coalescer.invalidated(in: 2).isEmpty)
    #expect(coalescer.answered(1, .success([.notFound]), at: .zero) == [deliver(1, .notFound)])
    let known = RelationshipFinding.known(info(alice, bob))
    #expect(coalescer.answered(2, .success([known]), at: .zero) == [deliver(2, known)])
  }

  @Test func abandonsAnInvalidatedBatchWithoutWaiters() {
    let coalescer = coalescer()
    _ = coalescer.request(alice, bob, for: 1, due: .zero)
    coalescer.invalidateAll()
    _ = coalescer.request(alice, bob, for: 2, due: .zero)
    #expect(coalescer.cancel(1, alice, bob) == [.abandon(1)])
    #expect(coalescer.answered(2, .success([.notFound]), at: .zero) == [deliver(2, .notFound)])
  }

  @Test func invalidationKeepsUnsentPairs() {
    let coalescer = coalescer(size: 1, concurrency: 1)
    _ = coalescer.request(alice, [carol, bob], for: 1)
    coalescer.invalidateAll()
    #expect(coalescer.request(alice, [bob], for: 2) == [])
    #expect(coalescer.answered(1, .success([]), at: .zero).last == send(2, alice, bob))
    #expect(coalescer.invalidated(in: 2).isEmpty)
  }
}

/// A coalescer behind a reference, so that an expectation can call it.
final class SharedCoalescer {
  typealias Action = RequestCoalescer.Action
  typealias Request = RequestCoalescer.Request

  private var coalescer: RequestCoalescer

  init(size: Int, concurrency: Int) {
    coalescer = RequestCoalescer(size: size, concurrency: concurrency)
  }

  var wakeUp: Duration? { coalescer.wakeUp }

  func request(_ actor: DID, about requests: [Request], for caller: Int, at now: Duration) -> [Action] {
    coalescer.request(actor, about: requests, for: caller, at: now)
  }

  /// A request for one target with a due time.
  func request(
    _ actor: DID, _ target: DID, for caller: Int, due: Duration, at now: Duration = .zero
  ) -> [Action] {
    request(actor, about: [Request(actor, target, slot: 0, due: due)], for: caller, at: now)
  }

  /// Requests for many targets that wait for full batches.
  func request(_ actor: DID, _ targets: [DID], for caller: Int, at now: Duration = .zero) -> [Action] {
    let requests = targets.enumerated().map { Request(actor, $1, slot: $0, due: nil) }
    return request(actor, about: requests, for: caller, at: now)
  }

  func refresh(_ actor: DID, _ targets: [DID], due: Duration, at now: Duration) -> [Action] {
    coalescer.refresh(actor, targets, due: due, at: now)
  }

  func elapsed(at now: Duration) -> [Action] { coalescer.elapsed(at: now) }
  func flush(_ caller: Int, at now: Duration) -> [Action] { coalescer.flush(caller, at: now) }
  func pendingCount(of caller: Int) -> Int { coalescer.pendingCount(of: caller) }

  func answered(
    _ id: Int, _ outcome: Result<[RelationshipFinding], RelationshipError>, at now: Duration
  ) -> [Action] {
    coalescer.answered(id, outcome, at: now)
  }

  func cancel(_ caller: Int, of pairs: [PairKey], at now: Duration) -> [Action] {
    coalescer.cancel(caller, of: pairs, at: now)
  }

  func cancel(_ caller: Int, _ actor: DID, _ target: DID) -> [Action] {
    cancel(caller, of: [PairKey(actor, target)], at: .zero)
  }

  func invalidate(_ pair: PairKey) { coalescer.invalidate(pair) }
  func invalidateAll() { coalescer.invalidateAll() }
  func isOpen(_ id: Int) -> Bool { coalescer.isOpen(id) }
  func invalidated(in id: Int) -> Set<PairKey> { coalescer.invalidated(in: id) }
  func isReversed(_ pair: PairKey, in id: Int) -> Bool { coalescer.isReversed(pair, in: id) }
}
