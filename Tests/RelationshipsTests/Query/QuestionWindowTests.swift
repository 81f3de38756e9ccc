// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

@Suite struct QuestionWindowTests {
  private let actor = Accounts.did(0)

  private func window(size: Int = 480, ask: Int = 30, verifies: Bool = false) -> QuestionWindow {
    QuestionWindow(
      actor: actor, sizes: QuestionWindow.Sizes(resolve: 25, ask: ask, lookUp: ask, verify: 25, window: size),
      verification: verifies ? .everybody : .nobody)
  }

  private func known(_ targets: [DID]) -> [DID: RelationshipFinding] {
    ScriptedSource.follows(actor, targets) { _ in true }
  }

  private func found(_ targets: [DID]) -> Findings { Findings(known(targets), of: targets) }

  /// Takes the next piece of work, where a mutating call may not stand.
  private func next(_ window: inout QuestionWindow, draining: Bool) -> QuestionWindow.Work? {
    window.nextWork(draining: draining)
  }

  /// Looks up what has gathered, in an empty cache.
  private func lookUp(_ window: inout QuestionWindow) {
    guard case .lookUp(let targets) = window.nextWork(draining: true) else {
      Issue.record("there was nothing to look up")
      return
    }
    window.lookedUp([:], existing: [:], in: targets)
  }

  @Test func gathersThirtyTargetsForOneCall() {
    var window = window()
    for did in Accounts.dids(1..<31) {
      let early = window.nextWork(draining: false)
      #expect(early == nil)
      window.add(RelationshipQuestion(did))
    }
    let looked = window.nextWork(draining: false)
    #expect(looked == .lookUp(Accounts.dids(1..<31)))
    window.lookedUp([:], existing: [:], in: Accounts.dids(1..<31))
    let asked = window.nextWork(draining: false)
    #expect(asked == .ask(Accounts.dids(1..<31)))
    let more = window.nextWork(draining: true)
    #expect(more == nil)
  }

  @Test func fillsTheGapsThatTheCacheLeaves() {
    var window = window()
    for did in Accounts.dids(1..<61) { window.add(RelationshipQuestion(did)) }
    for start in [1, 31] {
      let work = window.nextWork(draining: false)
      let targets = Accounts.dids(start..<start + 30)
      #expect(work == .lookUp(targets))
      window.lookedUp(known(Accounts.dids(start..<start + 15)), existing: [:], in: targets)
    }
    let work = window.nextWork(draining: false)
    #expect(work == .ask(Accounts.dids(16..<31) + Accounts.dids(46..<61)))
  }

  @Test func sendsAPartialBatchOnlyWhenDrained() {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    #expect(next(&window, draining: false) == nil)
    #expect(next(&window, draining: true) == .lookUp([Accounts.did(1)]))
    #expect(next(&window, draining: true) == nil)
    window.lookedUp([:], existing: [:], in: [Accounts.did(1)])
    #expect(next(&window, draining: false) == nil)
    #expect(next(&window, draining: true) == .ask([Accounts.did(1)]))
  }

  /// Taking answers makes room for targets that fill the batch: one that is not full need not go.
  @Test func isNotStuckAsLongAsThereAreAnswersToTake() {
    var window = window(size: 40)
    for did in Accounts.dids(1..<41) { window.add(RelationshipQuestion(did)) }
    #expect(window.isFull && window.isStuck)
    let looked = window.nextWork(draining: false)
    #expect(looked == .lookUp(Accounts.dids(1..<31)))
    window.lookedUp(known(Accounts.dids(1..<31)), existing: [:], in: Accounts.dids(1..<31))
    #expect(window.isFull && !window.isStuck)
    #expect(window.takeAnswers().count == 30)
    #expect(!window.isFull && !window.isStuck)
  }

  @Test func waitsWithAPartialBatchForWhatIsStillOnItsWay() {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    window.add(RelationshipQuestion(.handle(Accounts.handle(2))))
    #expect(next(&window, draining: true) == .resolve([Accounts.handle(2)]))
    #expect(next(&window, draining: true) == nil)
    window.resolved([Accounts.handle(2): .success(Accounts.did(2))], of: [Accounts.handle(2)])
    #expect(next(&window, draining: true) == .lookUp(Accounts.dids(1..<3)))
    window.lookedUp([:], existing: [:], in: Accounts.dids(1..<3))
    #expect(next(&window, draining: true) == .ask(Accounts.dids(1..<3)))
  }

  @Test func waitsWithAPartialBatchForALookUpThatIsUnderWay() {
    var window = window()
    let (first, second) = (Accounts.dids(1..<31), Accounts.dids(31..<36))
    for did in first + second { window.add(RelationshipQuestion(did)) }
    #expect(next(&window, draining: true) == .lookUp(first))
    #expect(next(&window, draining: true) == .lookUp(second))
    window.lookedUp(known(Accounts.dids(1..<21)), existing: [:], in: first)
    #expect(next(&window, draining: true) == nil)
    window.lookedUp([:], existing: [:], in: second)
    #expect(next(&window, draining: true) == .ask(Accounts.dids(21..<36)))
  }

  /// Q1.
  @Test func resolvesTwentyFiveHandlesAtATimeBeforeItAsks() {
    var window = window()
    let handles = Accounts.handles(1..<31)
    for handle in handles { window.add(RelationshipQuestion(.handle(handle))) }
    #expect(next(&window, draining: false) == .resolve(Array(handles.prefix(25))))
    #expect(next(&window, draining: false) == nil)
    #expect(next(&window, draining: true) == .resolve(Array(handles.suffix(5))))
    #expect(next(&window, draining: true) == nil)
  }

  @Test func asksOnceForATargetHoweverItIsNamed() {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    window.add(RelationshipQuestion(.handle(Accounts.handle(1))))
    window.add(RelationshipQuestion(.handle(Accounts.handle(1))))
    window.add(RelationshipQuestion(typed: "@user1.test"))
    window.add(RelationshipQuestion(Accounts.did(1)))
    #expect(next(&window, draining: true) == .resolve([Accounts.handle(1)]))
    window.resolved([Accounts.handle(1): .success(Accounts.did(1))], of: [Accounts.handle(1)])
    #expect(next(&window, draining: true) == .lookUp([Accounts.did(1)]))
    window.lookedUp([:], existing: [:], in: [Accounts.did(1)])
    #expect(next(&window, draining: true) == .ask([Accounts.did(1)]))
    window.learned(.success(found([Accounts.did(1)])), about: [Accounts.did(1)])
    let answers = window.takeAnswers()
    #expect(answers.map(\.input) == [nil, "user1.test", "user1.test", "@user1.test", nil])
    #expect(answers.allSatisfy { $0.target == Accounts.did(1) && $0.info?.isFollowing == true })
    #expect(window.isEmpty)
    #expect(window.isSettled)
  }

  /// Q4.
  @Test func knowsTheActorItselfWithoutAsking() {
    var window = window()
    window.add(RelationshipQuestion(actor))
    window.add(RelationshipQuestion(.handle(Accounts.handle(0))))
    #expect(window.takeAnswers().map(\.state) == [.itself])
    #expect(next(&window, draining: true) == .resolve([Accounts.handle(0)]))
    window.resolved([Accounts.handle(0): .success(actor)], of: [Accounts.handle(0)])
    #expect(window.takeAnswers() == [RelationshipAnswer(input: "user0.test", target: actor, state: .itself)])
    #expect(next(&window, draining: true) == nil)
  }

  @Test func answersAnUnreadableInputInItsPlace() {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    window.add(RelationshipQuestion(typed: "nobody", at: "stdin:2"))
    window.add(RelationshipQuestion(Accounts.did(2)))
    #expect(window.takeAnswers().isEmpty)
    #expect(!window.hasAnswer)
    lookUp(&window)
    #expect(next(&window, draining: true) == .ask(Accounts.dids(1..<3)))
    window.learned(.success(found(Accounts.dids(1..<3))), about: Accounts.dids(1..<3))
    #expect(window.hasAnswer)
    let answers = window.takeAnswers()
    #expect(answers.map(\.target) == [Accounts.did(1), nil, Accounts.did(2)])
    #expect(answers[1].input == "nobody")
    guard case .failed(let error) = answers[1].state else {
      Issue.record("\(answers[1])")
      return
    }
    #expect(error.code == .invalidInput)
    #expect("\(error)".contains("stdin:2"))
  }

  @Test func holdsLaterAnswersBackForEarlierOnes() {
    var window = window(ask: 2)
    for did in Accounts.dids(1..<5) { window.add(RelationshipQuestion(did)) }
    for start in [1, 3] {
      #expect(next(&window, draining: false) == .lookUp(Accounts.dids(start..<start + 2)))
    }
    window.lookedUp([:], existing: [:], in: Accounts.dids(1..<3))
    window.lookedUp([:], existing: [:], in: Accounts.dids(3..<5))
    #expect(next(&window, draining: false) == .ask(Accounts.dids(1..<3)))
    #expect(next(&window, draining: false) == .ask(Accounts.dids(3..<5)))
    window.learned(.success(found(Accounts.dids(3..<5))), about: Accounts.dids(3..<5))
    #expect(window.takeAnswers().isEmpty)
    window.learned(.success(found(Accounts.dids(1..<3))), about: Accounts.dids(1..<3))
    #expect(window.takeAnswers().map(\.target) == Accounts.dids(1..<5))
  }

  @Test func isFullAtItsBoundUntilAnswersAreTaken() {
    var window = window(size: 2)
    window.add(RelationshipQuestion(actor))
    #expect(!window.isFull)
    window.add(RelationshipQuestion(actor))
    #expect(window.isFull)
    #expect(window.takeAnswers().count == 2)
    #expect(!window.isFull)
    #expect(window.isEmpty)
  }

  @Test func failsEachTargetOfABatchThatFails() {
    var window = window()
    for did in Accounts.dids(1..<3) { window.add(RelationshipQuestion(did)) }
    lookUp(&window)
    _ = window.nextWork(draining: true)
    let fault = RelationshipError.networkError(TransportError(.timedOut, host: "appview.test"))
    window.learned(.failure(fault), about: Accounts.dids(1..<3))
    #expect(window.takeAnswers().map(\.state) == [.failed(fault), .failed(fault)])
  }

  @Test func failsATargetThatASourceLeavesOut() {
    var window = window()
    for did in Accounts.dids(1..<3) { window.add(RelationshipQuestion(did)) }
    lookUp(&window)
    _ = window.nextWork(draining: true)
    window.learned(.success(found([Accounts.did(2), Accounts.did(9)])), about: Accounts.dids(1..<3))
    let answers = window.takeAnswers()
    #expect(answers[0].state == .failed(.invalidResponse))
    #expect(answers[1].info?.isFollowing == true)
  }

  @Test func answersAHandleThatDoesNotResolve() {
    var window = window()
    let handles = Accounts.handles(1..<4)
    for handle in handles { window.add(RelationshipQuestion(.handle(handle))) }
    _ = window.nextWork(draining: true)
    window.resolved(
      [
        handles[0]: .failure(
          IdentityError(.notFound, subject: handles[0], detail: "no account has this handle")),
        handles[1]: .failure(IdentityError(.unavailable, subject: handles[1], detail: "down")),
      ], of: handles)
    let answers = window.takeAnswers()
    #expect(answers.map(\.target) == [nil, nil, nil])
    #expect(answers[0].state == .notFound(reason: "no account has this handle"))
    for answer in answers.dropFirst() {
      guard case .failed(let error) = answer.state else {
        Issue.record("\(answer)")
        continue
      }
      #expect(error.code == .networkError)
      #expect(error.subject == answer.input)
    }
    #expect(window.isSettled)
  }

  // MARK: Verification

  /// Q2.
  @Test func tellsNobodyFromAnAccountWithoutEdges() {
    for verificationFirst in [true, false] {
      var window = window(verifies: true)
      let targets = Accounts.dids(1..<4)
      for did in targets { window.add(RelationshipQuestion(did)) }
      lookUp(&window)
      #expect(next(&window, draining: true) == .ask(targets))
      #expect(next(&window, draining: true) == .verify(targets))
      let learn = { (window: inout QuestionWindow) in
        window.learned(.success(self.found(targets)), about: targets)
      }
      let verify = { (window: inout QuestionWindow) in
        window.verified(
          .success(ExistenceFinding(existing: [targets[0], targets[2]])), among: targets)
      }
      (verificationFirst ? verify : learn)(&window)
      #expect(window.takeAnswers().isEmpty)
      (verificationFirst ? learn : verify)(&window)
      let answers = window.takeAnswers()
      #expect(answers[0].info != nil)
      #expect(answers[1].state == .notFound(reason: RelationshipError.noSuchAccount))
      #expect(answers[2].info != nil)
      #expect(window.isSettled)
    }
  }

  @Test func verifiesTwentyFiveAtATime() {
    var window = window(verifies: true)
    let targets = Accounts.dids(1..<31)
    for did in targets { window.add(RelationshipQuestion(did)) }
    lookUp(&window)
    #expect(next(&window, draining: false) == .ask(targets))
    #expect(next(&window, draining: false) == .verify(Array(targets.prefix(25))))
    #expect(next(&window, draining: false) == nil)
    #expect(next(&window, draining: true) == .verify(Array(targets.suffix(5))))
  }

  @Test func waitsWithAPartialVerificationForALookUpThatIsUnderWay() {
    var window = window(ask: 2, verifies: true)
    for did in Accounts.dids(1..<4) { window.add(RelationshipQuestion(did)) }
    #expect(next(&window, draining: true) == .lookUp(Accounts.dids(1..<3)))
    #expect(next(&window, draining: true) == .lookUp([Accounts.did(3)]))
    window.lookedUp([:], existing: [:], in: Accounts.dids(1..<3))
    #expect(next(&window, draining: true) == .ask(Accounts.dids(1..<3)))
    #expect(next(&window, draining: true) == nil)
    window.lookedUp([:], existing: [:], in: [Accounts.did(3)])
    #expect(next(&window, draining: true) == .ask([Accounts.did(3)]))
    #expect(next(&window, draining: true) == .verify(Accounts.dids(1..<4)))
  }

  @Test func saysNothingOfATargetWhoseExistenceCouldNotBeLearned() {
    var window = window(verifies: true)
    window.add(RelationshipQuestion(Accounts.did(1)))
    lookUp(&window)
    _ = window.nextWork(draining: true)
    _ = window.nextWork(draining: true)
    window.verified(.failure(.invalidResponse), among: [Accounts.did(1)])
    window.learned(.success(found([Accounts.did(1)])), about: [Accounts.did(1)])
    #expect(window.takeAnswers().map(\.state) == [.failed(.invalidResponse)])
    #expect(window.isSettled)
  }

  @Test func verifiesNothingThatIsRemembered() {
    var window = window(verifies: true)
    let targets = Accounts.dids(1..<5)
    for did in targets { window.add(RelationshipQuestion(did)) }
    #expect(next(&window, draining: true) == .lookUp(targets))
    window.lookedUp(
      [targets[0]: .known(.made(actor: actor, target: targets[0], follows: true)), targets[2]: .notFound],
      existing: [targets[0]: true, targets[1]: false], in: targets)
    let answers = window.takeAnswers()
    #expect(answers.count == 3)
    #expect(answers.first?.info != nil)
    #expect(answers.dropFirst().allSatisfy { $0.state == .notFound(reason: RelationshipError.noSuchAccount) })
    #expect(next(&window, draining: true) == .ask([targets[3]]))
    #expect(next(&window, draining: true) == .verify([targets[3]]))
  }
}
