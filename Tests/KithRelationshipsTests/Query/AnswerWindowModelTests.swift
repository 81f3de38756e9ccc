// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Runs random operations on the window, with its work completed in any order, and compares every answer
/// with the one computed from a simulated world.
@Suite struct AnswerWindowModelTests {
  /// The simulated world: the number of an account determines its state.
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
      .made(actor: actor, target: did, follows: number(did).isMultiple(of: 6))
    }

    func state(of number: Int) -> RelationshipAnswer.State {
      if number == 0 { return .itself }
      let isFailed = !isCached(number) && fails(number)
      let info = info(Accounts.did(number))
      if verifies, !exists(number), isFailed || info.isEmpty {
        return .notFound(reason: RelationshipError.noSuchAccount)
      }
      return isFailed ? .failed(.clientNotConfigured) : .known(info)
    }

    func presence(of number: Int) -> AccountPresence? {
      verifies && number != 0 ? exists(number) ? .shown : .absent : nil
    }

    func answer(to question: RelationshipQuestion) -> RelationshipAnswer {
      switch question.target {
      case .did(let did):
        return RelationshipAnswer(
          input: question.input, target: did, state: state(of: number(did)),
          presence: presence(of: number(did)))
      case .handle(let handle) where !handleIsKnown(number(handle)):
        return RelationshipAnswer(input: question.input, target: nil, state: .notFound(reason: "absent"))
      case .handle(let handle):
        let number = number(handle)
        return RelationshipAnswer(
          input: question.input, target: Accounts.did(number), state: state(of: number),
          presence: presence(of: number), view: AccountView(Accounts.did(number), handle: handle))
      case .unreadable(let error):
        return RelationshipAnswer(
          input: question.input, target: nil,
          state: .failed(RelationshipError(.invalidInput, detail: "\(error)", underlying: error)))
      }
    }

    func finish(_ work: AnswerWindow.Work, in window: inout AnswerWindow) {
      switch work {
      case .resolve(let handles):
        var outcomes: [Handle: Result<ResolvedHandle, IdentityError>] = [:]
        for handle in handles {
          outcomes[handle] =
            handleIsKnown(number(handle))
            ? .success(ResolvedHandle(Accounts.did(number(handle))))
            : .failure(IdentityError(.notFound, subject: handle, detail: "absent"))
        }
        window.resolved(outcomes, of: handles)
      case .verify(let targets):
        window.verified(
          .success(ExistenceFinding(existing: Set(targets.filter { exists(number($0)) }))), among: targets)
      }
    }

    func isCached(_ request: AnswerWindow.Request) -> Bool { isCached(number(request.pair.opposite(actor))) }

    func delivery(to request: AnswerWindow.Request) -> AnswerWindow.Delivery {
      let finding: RelationshipFinding =
        fails(number(request.pair.opposite(actor))) && !isCached(number(request.pair.opposite(actor)))
        ? .failed(.clientNotConfigured) : .known(info(request.pair.opposite(actor)))
      return AnswerWindow.Delivery(slot: request.slot, outcome: .finding(finding))
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

  @Test(arguments: [3, 30, 400], [false, true])
  func answersEveryQuestionInOrder(size: Int, verifies: Bool) throws {
    let world = World(verifies: verifies, hasFailures: true)
    for seed in 0..<60 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let questions = (0..<Int.random(in: 0..<150, using: &generator)).map { _ in question(&generator) }
      var window = AnswerWindow(
        actor: world.actor, sizes: AnswerWindow.Sizes(resolve: 3, verify: 2, window: size),
        verification: verifies ? .all : .off)
      var waiting = questions[...]
      var works: [AnswerWindow.Work] = []
      var requests: [AnswerWindow.Request] = []
      var answers: [RelationshipAnswer] = []
      var steps = 0
      while !(waiting.isEmpty && window.isEmpty), steps < 20_000 {
        steps += 1
        switch Int.random(in: 0..<6, using: &generator) {
        case 0 where !window.isFull: waiting.popFirst().map { window.add($0) }
        case 1:
          let stuck = waiting.isEmpty || (works.isEmpty && window.isFull)
          guard works.count < 4, let work = window.nextWork(draining: stuck) else { break }
          works.append(work)
        case 2 where !works.isEmpty:
          let position = Int.random(in: works.indices, using: &generator)
          world.finish(works.remove(at: position), in: &window)
        case 3:
          // Some are cached, and answered before they are verified.
          let taken = window.takeRequests().requests
          let (cached, open) = (taken.filter(world.isCached), taken.filter { !world.isCached($0) })
          try window.learned(cached.map(world.delivery))
          requests += open
          window.verify(taken)
        case 4 where !requests.isEmpty:
          let position = Int.random(in: requests.indices, using: &generator)
          try window.learned([world.delivery(to: requests.remove(at: position))])
        default: answers += window.takeAnswers()
        }
        #expect(window.requested == requests.count)
      }
      #expect(steps < 20_000, "the window stands still, seed \(seed)")
      #expect(answers == questions.map(world.answer), "seed \(seed)")
      #expect(window.requested == 0)
      #expect(works.isEmpty && requests.isEmpty)
    }
  }
}
