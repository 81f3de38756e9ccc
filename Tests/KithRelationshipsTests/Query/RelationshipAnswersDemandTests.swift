// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The pipeline does only what the consumer needs.
@Suite(.timeLimit(.minutes(1))) struct RelationshipAnswersDemandTests {
  private let stage = AnswerStage()
  private var actor: DID { stage.actor }

  // MARK: Back-pressure

  @Test func makesNoRequestBeforeTheFirstNext() async throws {
    let source = ScriptedSource()
    let input = ScriptedInput(Accounts.dids(1..<31))
    let service = try stage.service(source)
    var iterator = service.answers(of: actor, to: input).makeAsyncIterator()
    try await stage.outlast()
    #expect(input.counter.value == 0)
    _ = try await iterator.next()
    #expect(source.asked.count == 1)
  }

  @Test func readsNoFurtherThanTheWindow() async throws {
    let source = ScriptedSource(batchSize: 5)
    let input = ScriptedInput(Accounts.dids(1..<1_001))
    // Two rounds of two concurrent calls with five targets each.
    let window = 20
    var iterator = try stage.service(source, lanes: 2).answers(of: actor, to: input).makeAsyncIterator()
    for taken in 0..<1_000 {
      #expect(try await iterator.next()?.target == Accounts.did(taken + 1))
      // The answers held by the iterator are outside of the window: at most one window of them.
      #expect(input.counter.value <= taken + 1 + 2 * window)
    }
    #expect(try await iterator.next() == nil)
  }

  @Test func stopsReadingWhileNoAnswersAreTaken() async throws {
    let source = ScriptedSource(batchSize: 5, turnstile: Turnstile(isOpen: false))
    let input = ScriptedInput(Accounts.dids(1..<1_001))
    let service = try stage.service(source, lanes: 2)
    let task = Task { try await stage.collect(service.answers(of: actor, to: input)) }
    await source.turnstile.untilArrived(2)
    await input.counter.untilTaken(20)
    try await stage.outlast()
    #expect(input.counter.value == 20)
    source.turnstile.open()
    #expect(try await task.value.count == 1_000)
  }

  @Test func continuesReadingOnceTheOldestAnswersAreTaken() async throws {
    let source = ScriptedSource(batchSize: 5, turnstile: Turnstile(isOpen: false))
    let input = ScriptedInput(Accounts.dids(1..<1_001))
    let service = try stage.service(source, lanes: 2)
    let task = Task { try await stage.collect(service.answers(of: actor, to: input)) }
    await source.turnstile.untilArrived(2)
    source.turnstile.release(0)
    await input.counter.untilTaken(25)
    try await stage.outlast()
    #expect(input.counter.value == 25)
    source.turnstile.open()
    #expect(try await task.value.count == 1_000)
  }

  /// A person may take a long time to type the first target.
  @Test func readsNothingForAnActorKnownNotToExist() async throws {
    let source = ScriptedSource(existing: { _ in [] })
    let service = try stage.service(source, verifies: true)
    await #expect(throws: RelationshipError.actorNotFound(actor)) {
      try await service.getRelationship(actor: actor, target: Accounts.did(1))
    }
    let input = ScriptedInput([Accounts.did(1)], ending: .silence)
    await #expect(throws: RelationshipError.actorNotFound(actor)) {
      try await stage.collect(service.answers(of: actor, to: input))
    }
    #expect(input.counter.value == 0)
    #expect(source.verified.count == 1)
  }

  // MARK: End of a run

  @Test func endsWhenTheConsumerIsCancelled() async throws {
    let source = ScriptedSource(turnstile: Turnstile(isOpen: false))
    let service = try stage.service(source)
    let input = ScriptedInput(Accounts.dids(1..<1_001))
    let task = Task { try await stage.collect(service.answers(of: actor, to: input)) }
    await source.turnstile.untilArrived(8)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await source.turnstile.untilEmpty()
    try await stage.outlast()
    #expect(source.turnstile.inside == 0)
    #expect(source.asked.count == 8)
  }

  @Test func endsForAnAlreadyCancelledConsumer() async throws {
    let service = try stage.service(ScriptedSource(turnstile: Turnstile(isOpen: false)))
    let gate = Turnstile(isOpen: false)
    let task = Task {
      _ = try? await gate.pass {}
      return try await stage.collect(service.relationships(of: actor, with: Accounts.dids(1..<40)))
    }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func endsWhenItsIteratorIsReleased() async throws {
    // The two concurrent calls arrive in any order: the one that is waited for is not held back.
    let source = ScriptedSource(
      batchSize: 1, turnstile: Turnstile(isOpen: false), free: [Accounts.did(1)])
    let input = ScriptedInput(Accounts.dids(1..<4), ending: .silence)
    let service = try stage.service(source, lanes: 2)
    do {
      var iterator = service.answers(of: actor, to: input).makeAsyncIterator()
      #expect(try await iterator.next()?.target == Accounts.did(1))
      await source.turnstile.untilArrived(2)
      await input.counter.silence.untilArrived(1)
    }
    await source.turnstile.untilEmpty()
    await input.counter.silence.untilEmpty()
    #expect(source.turnstile.inside == 0)
    #expect(input.counter.silence.inside == 0)
  }

  @Test func releasesEverythingAtTheEnd() async throws {
    weak var held: ScriptedSource?
    let isGone: Watched<Bool>
    do {
      let source = ScriptedSource()
      held = source
      isGone = source.isGone
      _ = try await stage.collect(
        try stage.service(source).relationships(of: actor, with: Accounts.dids(1..<100)))
    }
    await isGone.until { $0 }
    #expect(held == nil)
  }

  @Test func releasesEverythingIfAbandonedEarly() async throws {
    weak var held: ScriptedSource?
    let isGone: Watched<Bool>
    do {
      let source = ScriptedSource(batchSize: 1)
      held = source
      isGone = source.isGone
      for try await _ in try stage.service(source).relationships(of: actor, with: Accounts.dids(1..<10_000)) {
        break
      }
    }
    await isGone.until { $0 }
    #expect(held == nil)
  }

  @Test func releasesEverythingIfAbandonedWithAFullWindow() async throws {
    weak var held: ScriptedSource?
    let isGone: Watched<Bool>
    do {
      let source = ScriptedSource(batchSize: 1)
      held = source
      isGone = source.isGone
      let input = ScriptedInput(Accounts.dids(1..<1_001))
      let service = try stage.service(source, lanes: 1)
      var iterator = service.answers(of: actor, to: input).makeAsyncIterator()
      _ = try await iterator.next()
      // Everything read is answered, and the reader waits for room.
      await source.untilAsked(3)
      var taken: Int
      repeat {
        taken = input.counter.value
        try await stage.outlast()
      } while input.counter.value != taken || source.asked.count != taken
      try #require(taken < 1_000)
    }
    await isGone.until { $0 }
    #expect(held == nil)
  }

  @Test func startsAgainForEachIterator() async throws {
    let source = ScriptedSource()
    let answers = try stage.service(source, policy: .off).relationships(of: actor, with: Accounts.dids(1..<3))
    #expect(try await stage.collect(answers).count == 2)
    #expect(try await stage.collect(answers).count == 2)
    #expect(source.asked.count == 2)
  }

  @Test func keepsReturningNilAfterTheEnd() async throws {
    var iterator = try stage.service(ScriptedSource()).relationships(of: actor, with: [Accounts.did(1)])
      .makeAsyncIterator()
    #expect(try await iterator.next() != nil)
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }
}
