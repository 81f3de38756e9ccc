// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// A target may be asked about any number of times: each question is answered, in order, and the account is
/// requested once. The windows here hold 20 questions: two rounds of two calls with five targets each.
@Suite(.timeLimit(.minutes(1))) struct RepeatedTargetsTests {
  private let stage = AnswerStage()
  private var actor: DID { stage.actor }

  private func targets(_ numbers: [Int]) -> [DID] { numbers.map { Accounts.did($0 + 1) } }

  /// Asks about targets, and checks that each of them is answered in its place.
  private func expectAnswers(to targets: [DID], verifies: Bool = false) async throws {
    let source = ScriptedSource(batchSize: 5)
    let service = try stage.service(source, lanes: 2, verifies: verifies)
    let answers = try await stage.collect(service.relationships(of: actor, with: targets))
    #expect(answers.map(\.target) == targets)
    #expect(answers.allSatisfy { $0.info?.isFollowing == true })
    #expect(source.asked.flatMap(\.self).count == Set(targets).count)
  }

  @Test(arguments: [1, 4, 5, 6, 19, 20, 21, 40, 41, 1_000]) func answersCopiesOfOneTarget(
    count: Int
  ) async throws {
    try await expectAnswers(to: targets(Array(repeating: 0, count: count)))
    try await expectAnswers(to: targets(Array(repeating: 0, count: count)), verifies: true)
  }

  @Test(arguments: 1..<25) func answersSomeTargetsManyTimesOver(different: Int) async throws {
    try await expectAnswers(to: targets((0..<300).map { $0 % different }))
    try await expectAnswers(to: targets((0..<300).map { $0 * different / 300 }))
  }

  @Test func answersCopiesAmidOtherTargets() async throws {
    let copies = Array(repeating: 0, count: 50)
    try await expectAnswers(to: targets(Array(1..<8) + copies + Array(8..<19) + copies))
  }

  /// A log in which few authors wrote nearly everything.
  @Test(arguments: UInt64(1)..<30) func answersALog(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let numbers = (0..<400).map { _ in
      min(Int.random(in: 0..<60, using: &generator), Int.random(in: 0..<60, using: &generator))
    }
    try await expectAnswers(to: targets(numbers), verifies: seed.isMultiple(of: 2))
  }

  @Test(arguments: [1, 19, 20, 21, 500]) func answersCopiesOfOneHandle(count: Int) async throws {
    let appview = AppViewDouble(accounts: 200)
    let source = ScriptedSource(batchSize: 5)
    let service = try stage.service(source, lanes: 2, appview: ScriptedTransport { appview.answer($0) })
    let (questions, input) = AsyncThrowingStream.makeStream(of: RelationshipQuestion.self)
    for _ in 0..<count { input.yield(RelationshipQuestion(.handle(Accounts.handle(150)))) }
    input.finish()
    let answers = try await stage.collect(service.answers(of: actor, to: questions))
    #expect(answers.map(\.target) == Array(repeating: Accounts.did(150), count: count))
    #expect(source.asked == [[Accounts.did(150)]])
  }

  /// Handles, DIDs, the actor itself and unreadable input in any order, each any number of times: one answer
  /// for each question, in order.
  @Test(arguments: UInt64(100)..<160) func answersEveryQuestionOnceInOrder(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    let (accounts, length) = (
      Int.random(in: 1...25, using: &generator), Int.random(in: 1...400, using: &generator)
    )
    let appview = AppViewDouble(accounts: 200)
    let service = try stage.service(
      ScriptedSource(batchSize: 5), lanes: 2, verifies: seed.isMultiple(of: 3),
      appview: ScriptedTransport { appview.answer($0) })
    let (questions, input) = AsyncThrowingStream.makeStream(of: RelationshipQuestion.self)
    var expected: [DID?] = []
    for _ in 0..<length {
      let number = Int.random(in: 1...accounts, using: &generator)
      switch Int.random(in: 0..<10, using: &generator) {
      case 0:
        input.yield(RelationshipQuestion(.did(actor)))
        expected.append(actor)
      case 1:
        input.yield(
          RelationshipQuestion(
            input: "x y", target: .unreadable(InputError(text: "x y", reason: "it has a space"))))
        expected.append(nil)
      case 2..<6:
        input.yield(RelationshipQuestion(.handle(Accounts.handle(number))))
        expected.append(Accounts.did(number))
      default:
        input.yield(RelationshipQuestion(.did(Accounts.did(number))))
        expected.append(Accounts.did(number))
      }
    }
    input.finish()
    let answers = try await stage.collect(service.answers(of: actor, to: questions))
    #expect(answers.map(\.target) == expected)
  }

  /// Another caller asks about the same accounts: neither waits for the other.
  @Test func answersTwoCallersWithTheSameCopies() async throws {
    let source = ScriptedSource(batchSize: 5)
    let service = try stage.service(source, lanes: 2)
    let all = targets((0..<300).map { $0 % 3 })
    async let first = stage.collect(service.relationships(of: actor, with: all))
    async let second = stage.collect(service.relationships(of: actor, with: all.reversed()))
    #expect(try await first.map(\.target) == all)
    #expect(try await second.map(\.target) == all.reversed())
  }
}
