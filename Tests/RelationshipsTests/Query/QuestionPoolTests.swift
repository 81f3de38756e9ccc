// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

@Suite struct QuestionPoolTests {
  private typealias Action = QuestionPool.Action
  private let alice = Accounts.did(1)
  private let bob = Accounts.did(2)
  private let carol = Accounts.did(3)
  private let window = Duration.milliseconds(2)

  private func pool(atMost size: Int = 30, window: Duration? = nil) -> QuestionPool {
    QuestionPool(atMost: size, window: window ?? self.window)
  }

  private func info(_ actor: DID, _ target: DID) -> RelationshipInfo {
    .made(actor: actor, target: target, follows: true)
  }

  // MARK: Gathering

  @Test func gathersFromTheFirstQuestionOn() {
    var pool = pool()
    #expect(pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero) == [.wake(after: window)])
    #expect(pool.ask(alice, about: [carol], for: 2, gathers: true, at: .milliseconds(1)) == [])
    #expect(
      pool.windowEnded(at: window) == [.ask(1, Star(center: alice, others: [bob, carol]))])
  }

  @Test func asksAtOnceWhereNothingIsToGather() {
    var pool = pool(window: .zero)
    #expect(
      pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero)
        == [.ask(1, Star(center: alice, others: [bob]))])
  }

  @Test func letsAFullCallGoAndGathersTheRestFromItsOwnFirstQuestionOn() {
    var pool = pool(atMost: 2)
    _ = pool.ask(bob, about: [carol], for: 1, gathers: true, at: .zero)
    _ = pool.ask(alice, about: [Accounts.did(4)], for: 2, gathers: true, at: .milliseconds(1))
    // From the other end of both: two are asked about carol.
    #expect(
      pool.ask(alice, about: [carol], for: 3, gathers: true, at: .milliseconds(1))
        == [.ask(1, Star(center: alice, others: [Accounts.did(4), carol]))])
    #expect(pool.windowEnded(at: window) == [.ask(2, Star(center: bob, others: [carol]))])
  }

  @Test func wakesAgainForWhatCameLater() {
    var pool = pool(atMost: 2)
    _ = pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero)
    _ = pool.ask(alice, about: [carol], for: 2, gathers: true, at: .milliseconds(1))
    _ = pool.ask(bob, about: [carol], for: 3, gathers: true, at: .milliseconds(1))
    #expect(pool.windowEnded(at: window) == [.wake(after: .milliseconds(1))])
    #expect(pool.windowEnded(at: .milliseconds(3)) == [.ask(2, Star(center: bob, others: [carol]))])
  }

  @Test func asksManyAboutOneFromThatOne() {
    var pool = pool()
    for number in 0..<10 {
      _ = pool.ask(Accounts.did(10 + number), about: [alice], for: number, gathers: true, at: .zero)
    }
    #expect(
      pool.windowEnded(at: window) == [.ask(1, Star(center: alice, others: Accounts.dids(10..<20)))])
  }

  @Test func takesGatheringPairsAlongInABatchThatNeedNotWait() {
    var pool = pool()
    _ = pool.ask(bob, about: [alice], for: 1, gathers: true, at: .zero)
    #expect(
      pool.ask(alice, about: [bob, carol], for: 2, gathers: false, at: .zero)
        == [.ask(1, Star(center: alice, others: [bob, carol]))])
    #expect(pool.windowEnded(at: window) == [])
  }

  // MARK: Sharing

  @Test func answersAllWhoAskedAboutAPairEachFromTheirEnd() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    #expect(pool.ask(bob, about: [alice], for: 2, gathers: false, at: .zero) == [])
    #expect(
      pool.answered(1, .success([bob: .known(info(alice, bob))]))
        == [
          .deliver(1, .success([bob: .known(info(alice, bob))])),
          .deliver(2, .success([alice: .known(info(alice, bob).swapped)])),
        ])
  }

  @Test func answersABatchWhenAllOfItsCallsHaveEnded() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    _ = pool.ask(alice, about: [bob, carol], for: 2, gathers: false, at: .zero)
    #expect(
      pool.answered(2, .success([carol: .notFound])) == [])
    #expect(
      pool.answered(1, .success([bob: .known(info(alice, bob))]))
        == [
          .deliver(1, .success([bob: .known(info(alice, bob))])),
          .deliver(2, .success([carol: .notFound, bob: .known(info(alice, bob))])),
        ])
  }

  @Test func failsOnlyThoseWhoseCallFailed() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    _ = pool.ask(alice, about: [carol], for: 2, gathers: false, at: .zero)
    #expect(
      pool.answered(1, .failure(.clientNotConfigured))
        == [.deliver(1, .success([bob: .failed(.clientNotConfigured)]))])
    #expect(
      pool.answered(2, .success([carol: .notFound])) == [.deliver(2, .success([carol: .notFound]))])
  }

  @Test func failsWhatTheSourceSaidNothingAbout() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    #expect(pool.answered(1, .success([:])) == [.deliver(1, .success([bob: .failed(.invalidResponse)]))])
  }

  /// Whom a call was asked from is a target to those who asked from the other end (Q3).
  @Test func tellsWhoIsMissingByWhoAsked() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    _ = pool.ask(bob, about: [alice], for: 2, gathers: false, at: .zero)
    #expect(
      pool.answered(1, .failure(.actorNotFound(alice)))
        == [.deliver(1, .failure(.actorNotFound(alice))), .deliver(2, .success([alice: .notFound]))])
    _ = pool.ask(alice, about: [bob], for: 3, gathers: false, at: .zero)
    _ = pool.ask(bob, about: [alice], for: 4, gathers: false, at: .zero)
    #expect(
      pool.answered(2, .success([bob: .notFound]))
        == [.deliver(3, .success([bob: .notFound])), .deliver(4, .failure(.actorNotFound(bob)))])
  }

  // MARK: Cancelling

  @Test func asksForTheLastOfManyWhoGaveUp() {
    var pool = pool()
    for asker in 1...50 { _ = pool.ask(alice, about: [bob], for: asker, gathers: true, at: .zero) }
    for asker in 1...49 { #expect(pool.cancelled(asker) == []) }
    #expect(pool.windowEnded(at: window) == [.ask(1, Star(center: alice, others: [bob]))])
    #expect(
      pool.answered(1, .success([bob: .notFound])) == [.deliver(50, .success([bob: .notFound]))])
  }

  @Test func asksNothingForThoseWhoGaveUpInTime() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero)
    #expect(pool.cancelled(1) == [])
    #expect(pool.windowEnded(at: window) == [])
    #expect(!pool.isOpen(PairKey(bob, alice)))
  }

  @Test func abandonsACallThatNobodyWaitsFor() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob, carol], for: 1, gathers: false, at: .zero)
    _ = pool.ask(carol, about: [alice], for: 2, gathers: true, at: .zero)
    #expect(pool.cancelled(1) == [])
    #expect(pool.cancelled(2) == [.abandon(1)])
    #expect(pool.answered(1, .success([:])) == [])
  }

  @Test func asksAnewAfterAnAbandonedCall() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    _ = pool.cancelled(1)
    #expect(
      pool.ask(alice, about: [bob], for: 2, gathers: false, at: .zero)
        == [.ask(2, Star(center: alice, others: [bob]))])
  }

  /// The pair whose last asker left is waited for again, and its call must not end with those of the other.
  @Test(arguments: [false, true]) func answersWhoJoinsAPairThatWasLeftInMidCall(gathers: Bool) {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero)
    _ = pool.ask(alice, about: [carol], for: 2, gathers: true, at: .zero)
    _ = pool.windowEnded(at: window)
    #expect(pool.cancelled(1) == [])
    #expect(pool.ask(alice, about: [bob], for: 3, gathers: gathers, at: window) == [])
    #expect(pool.cancelled(2) == [])
    #expect(
      pool.answered(1, .success([bob: .notFound, carol: .notFound]))
        == [.deliver(3, .success([bob: .notFound]))])
  }

  @Test func answersTheOthersOfACallWhenWhoJoinedItLeavesToo() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero)
    _ = pool.ask(alice, about: [carol], for: 2, gathers: true, at: .zero)
    _ = pool.windowEnded(at: window)
    _ = pool.cancelled(1)
    _ = pool.ask(alice, about: [bob], for: 3, gathers: false, at: window)
    #expect(pool.cancelled(3) == [])
    #expect(
      pool.answered(1, .success([bob: .notFound, carol: .notFound]))
        == [.deliver(2, .success([carol: .notFound]))])
  }

  @Test func remembersHowAPairWasFirstPut() {
    var pool = pool()
    _ = pool.ask(bob, about: [alice], for: 1, gathers: true, at: .zero)
    _ = pool.ask(alice, about: [bob, carol], for: 2, gathers: false, at: .zero)
    #expect(pool.reversed(in: 1) == [bob])
    pool.forgetAll()
    _ = pool.ask(alice, about: [bob], for: 3, gathers: false, at: .zero)
    #expect(pool.reversed(in: 1) == [bob])
    #expect(pool.reversed(in: 2).isEmpty)
    for actor in [bob, carol] { _ = pool.ask(actor, about: [alice], for: 4, gathers: true, at: .zero) }
    _ = pool.answered(1, .success([:]))
    #expect(pool.reversed(in: 1).isEmpty)
  }

  @Test func remembersWhoOfAGatheredCallAskedFirst() {
    var pool = pool()
    _ = pool.ask(bob, about: [alice], for: 1, gathers: true, at: .zero)
    _ = pool.ask(alice, about: [carol], for: 2, gathers: true, at: .zero)
    #expect(pool.windowEnded(at: window) == [.ask(1, Star(center: alice, others: [bob, carol]))])
    #expect(pool.reversed(in: 1) == [bob])
  }

  // MARK: Forgetting

  @Test func asksAnewAboutAForgottenPairAndStillAnswersThoseWhoAskedBefore() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: false, at: .zero)
    pool.forget(PairKey(bob, alice))
    #expect(
      pool.ask(alice, about: [bob], for: 2, gathers: false, at: .zero)
        == [.ask(2, Star(center: alice, others: [bob]))])
    #expect(pool.answered(1, .success([bob: .notFound])) == [.deliver(1, .success([bob: .notFound]))])
    let known = RelationshipFinding.known(info(alice, bob))
    #expect(pool.answered(2, .success([bob: known])) == [.deliver(2, .success([bob: known]))])
  }

  @Test func abandonsAForgottenCallThatNobodyWaitsFor() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob, carol], for: 1, gathers: false, at: .zero)
    pool.forgetAll()
    _ = pool.ask(alice, about: [bob], for: 2, gathers: false, at: .zero)
    #expect(pool.cancelled(1) == [.abandon(1)])
    #expect(pool.answered(2, .success([bob: .notFound])) == [.deliver(2, .success([bob: .notFound]))])
  }

  @Test func leavesWhatGathersWhereItIs() {
    var pool = pool()
    _ = pool.ask(alice, about: [bob], for: 1, gathers: true, at: .zero)
    pool.forgetAll()
    #expect(pool.windowEnded(at: window) == [.ask(1, Star(center: alice, others: [bob]))])
  }
}
