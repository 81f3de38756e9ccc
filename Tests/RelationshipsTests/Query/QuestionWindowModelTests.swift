// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport
import Testing

@testable import Relationships

/// Runs the window through random days, its work done in any order, and holds every answer against the one
/// that a look at the made-up world gives.
@Suite struct QuestionWindowModelTests {
  /// What is true of the account with a number: its number decides.
  private struct World {
    let actor = Accounts.did(0)
    let verifies: Bool
    let hasFailures: Bool

    func handleIsKnown(_ number: Int) -> Bool { !number.isMultiple(of: 5) }
    func isCached(_ number: Int) -> Bool { number.isMultiple(of: 3) }
    func fails(_ number: Int) -> Bool { hasFailures && number % 7 == 6 }
    func exists(_ number: Int) -> Bool { !number.isMultiple(of: 4) }

    private static let numbers = Dictionary(
      uniqueKeysWithValues: (0..<40).map { (Accounts.did($0), $0) })
    private static let handleNumbers = Dictionary(
      uniqueKeysWithValues: (0..<40).map { (Accounts.handle($0), $0) })

    func number(_ did: DID) -> Int { Self.numbers[did] ?? -1 }
    func number(_ handle: Handle) -> Int { Self.handleNumbers[handle] ?? -1 }

    func info(_ did: DID) -> RelationshipInfo {
      .made(actor: actor, target: did, follows: number(did).isMultiple(of: 2))
    }

    func state(of number: Int) -> RelationshipAnswer.State {
      if number == 0 { return .itself }
      if verifies, !exists(number) { return .notFound(reason: RelationshipError.noSuchAccount) }
      if !isCached(number), fails(number) { return .failed(.clientNotConfigured) }
      return .known(info(Accounts.did(number)))
    }

    func answer(to question: RelationshipQuestion) -> RelationshipAnswer {
      switch question.target {
      case .did(let did):
        return RelationshipAnswer(input: question.input, target: did, state: state(of: number(did)))
      case .handle(let handle) where !handleIsKnown(number(handle)):
        return RelationshipAnswer(input: question.input, target: nil, state: .notFound(reason: "nobody"))
      case .handle(let handle):
        let number = number(handle)
        return RelationshipAnswer(
          input: question.input, target: Accounts.did(number), state: state(of: number))
      case .unreadable(let error):
        return RelationshipAnswer(
          input: question.input, target: nil,
          state: .failed(RelationshipError(.invalidInput, detail: "\(error)", underlying: error)))
      }
    }

    func finish(_ work: QuestionWindow.Work, in window: inout QuestionWindow) {
      switch work {
      case .resolve(let handles):
        var outcomes: [Handle: Result<DID, IdentityError>] = [:]
        for handle in handles {
          outcomes[handle] =
            handleIsKnown(number(handle))
            ? .success(Accounts.did(number(handle)))
            : .failure(IdentityError(.notFound, subject: handle, detail: "nobody"))
        }
        window.resolved(outcomes, of: handles)
      case .lookUp(let targets):
        var findings: [DID: RelationshipFinding] = [:]
        for did in targets where isCached(number(did)) { findings[did] = .known(info(did)) }
        window.lookedUp(findings, existing: [:], in: targets)
      case .ask(let targets):
        if targets.contains(where: { fails(number($0)) }) {
          window.learned(.failure(.clientNotConfigured), about: targets)
        } else {
          var findings = Findings()
          for did in targets { findings.append(.known(info(did)), of: did) }
          window.learned(.success(findings), about: targets)
        }
      case .verify(let targets):
        window.verified(
          .success(ExistenceFinding(existing: Set(targets.filter { exists(number($0)) }))), among: targets)
      }
    }
  }

  private func question(_ generator: inout SeededGenerator) -> RelationshipQuestion {
    let number = Int.random(in: 0..<40, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
    case 0: return RelationshipQuestion(typed: "no such thing \(number)")
    case 1..<5: return RelationshipQuestion(.handle(Accounts.handle(number)))
    default: return RelationshipQuestion(Accounts.did(number))
    }
  }

  /// Batches of one have failures, for a failure is then that of its target alone.
  @Test(arguments: [(1, 3), (1, 30), (4, 30), (4, 400)], [false, true])
  func answersEveryQuestionInOrder(sizes: (ask: Int, window: Int), verifies: Bool) {
    let world = World(verifies: verifies, hasFailures: sizes.ask == 1)
    for seed in 0..<40 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let questions = (0..<Int.random(in: 0..<150, using: &generator)).map { _ in question(&generator) }
      var window = QuestionWindow(
        actor: world.actor,
        sizes: QuestionWindow.Sizes(
          resolve: 3, ask: sizes.ask, lookUp: sizes.ask + 1, verify: 2, window: sizes.window),
        verification: verifies ? .everybody : .nobody)
      var waiting = questions[...]
      var underWay: [QuestionWindow.Work] = []
      var answers: [RelationshipAnswer] = []
      var steps = 0
      while !(waiting.isEmpty && window.isEmpty), steps < 20_000 {
        steps += 1
        switch Int.random(in: 0..<4, using: &generator) {
        case 0 where !window.isFull: waiting.popFirst().map { window.add($0) }
        case 1:
          let stuck = waiting.isEmpty || (underWay.isEmpty && window.isFull)
          guard underWay.count < 4, let work = window.nextWork(draining: stuck) else { break }
          checkIsAlone(work, among: underWay)
          underWay.append(work)
        case 2 where !underWay.isEmpty:
          let position = Int.random(in: underWay.indices, using: &generator)
          world.finish(underWay.remove(at: position), in: &window)
        default: answers += window.takeAnswers()
        }
      }
      #expect(steps < 20_000, "the window stands still, seed \(seed)")
      #expect(answers == questions.map(world.answer), "seed \(seed)")
      #expect(window.isSettled)
      #expect(underWay.isEmpty)
    }
  }

  /// No target is asked about by two calls at once.
  private func checkIsAlone(_ work: QuestionWindow.Work, among others: [QuestionWindow.Work]) {
    guard case .ask(let targets) = work else { return }
    for case .ask(let busy) in others { #expect(Set(busy).isDisjoint(with: targets)) }
    #expect(Set(targets).count == targets.count)
  }
}
