// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The answer pipeline, with calls that each test holds back and releases.
@Suite(.timeLimit(.minutes(1))) struct RelationshipAnswersTests {
  private let stage = AnswerStage()
  private var actor: DID { stage.actor }

  // MARK: Order and batches

  @Test func noQuestionsHaveNoAnswers() async throws {
    let source = ScriptedSource()
    #expect(try await stage.collect(try stage.service(source).relationships(of: actor, with: [])).isEmpty)
    #expect(source.asked.isEmpty)
  }

  @Test func requestsThreeThousandTargetsInAHundredCalls() async throws {
    let source = ScriptedSource()
    let targets = Accounts.dids(1..<3_001)
    let answers = try await stage.collect(try stage.service(source).relationships(of: actor, with: targets))
    #expect(answers.map(\.target) == targets)
    #expect(answers.allSatisfy { $0.info?.isFollowing == true })
    #expect(source.asked.count == 100)
    #expect(source.asked.allSatisfy { $0.count == 30 })
    #expect(source.turnstile.peak <= 8)
  }

  /// A person types targets one by one: each is answered before the next one arrives.
  @Test func sendsAPartialBatchWhenNothingElseComes() async throws {
    let source = ScriptedSource()
    let (typed, keyboard) = AsyncThrowingStream.makeStream(of: DID.self)
    var answers = try stage.service(source, verifies: true).relationships(of: actor, with: typed)
      .makeAsyncIterator()
    // The actor may be verified before the first target is read, which then waits alone.
    let time = Task { [clock = stage.clock] in
      while !Task.isCancelled {
        await clock.untilAsleep(1)
        clock.advance(by: .seconds(1))
      }
    }
    defer { time.cancel() }
    for number in 1..<4 {
      keyboard.yield(Accounts.did(number))
      #expect(try await answers.next()?.target == Accounts.did(number))
    }
    keyboard.finish()
    #expect(try await answers.next() == nil)
    #expect(source.asked == Accounts.dids(1..<4).map { [$0] })
  }

  /// Many questions of one kind do not delay a single one of another kind.
  @Test func resolvesAHandleWhileTargetsKeepComing() async throws {
    let appview = AppViewDouble(accounts: 200)
    let transport = ScriptedTransport { appview.answer($0) }
    let source = ScriptedSource()
    let (typed, keyboard) = AsyncThrowingStream.makeStream(of: RelationshipQuestion.self)
    let service = try stage.service(source, appview: transport)
    let all = Task { try await stage.collect(service.answers(of: actor, to: typed)) }
    keyboard.yield(RelationshipQuestion(.handle(Accounts.handle(150))))
    await stage.clock.untilAsleep(1)
    for round in 0..<2 {
      for did in Accounts.dids(30 * round + 1..<30 * round + 31) { keyboard.yield(RelationshipQuestion(did)) }
      await source.untilAsked(round + 1)
      stage.clock.advance(by: .milliseconds(500))
    }
    await source.untilAsked(3)
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
    #expect(source.asked.map(\.count) == [30, 30, 1])
    keyboard.finish()
    #expect(try await all.value.first?.target == Accounts.did(150))
  }

  /// A person who types does not wait for unrelated calls.
  @Test func requestsATargetWhileAHandleIsBeingResolved() async throws {
    let appview = AppViewDouble(accounts: 200)
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { appview.answer($0) }
    let source = ScriptedSource()
    let (typed, keyboard) = AsyncThrowingStream.makeStream(of: RelationshipQuestion.self)
    let service = try stage.service(source, appview: transport)
    let all = Task { try await stage.collect(service.answers(of: actor, to: typed)) }
    keyboard.yield(RelationshipQuestion(.handle(Accounts.handle(150))))
    await stage.clock.untilAsleep(1)
    stage.clock.advance(by: .seconds(1))
    await transport.turnstile.untilArrived(1)
    keyboard.yield(RelationshipQuestion(Accounts.did(1)))
    await stage.clock.untilAsleep(1)
    stage.clock.advance(by: .seconds(1))
    await source.untilAsked(1)
    #expect(source.asked == [[Accounts.did(1)]])
    transport.turnstile.open()
    keyboard.finish()
    #expect(try await all.value.map(\.target) == [Accounts.did(150), Accounts.did(1)])
    #expect(source.asked == [[Accounts.did(1)], [Accounts.did(150)]])
  }

  /// While calls are in progress the linger time does not apply: more targets are coming.
  @Test func fillsBatchesEvenIfTheResolverIsSlow() async throws {
    let appview = AppViewDouble(accounts: 200)
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { [clock = stage.clock] request in
      clock.advance(by: .seconds(2))
      return appview.answer(request)
    }
    let source = ScriptedSource()
    let service = try stage.service(source, appview: transport)
    let handles = ScriptedInput(Accounts.handles(1..<151).map { RelationshipQuestion(.handle($0)) })
    let all = Task { try await stage.collect(service.answers(of: actor, to: handles)) }
    await handles.counter.untilTaken(150)
    await transport.turnstile.untilArrived(6)
    // Ensures that the end was seen.
    try await stage.outlast()
    transport.turnstile.open()
    #expect(try await all.value.count == 150)
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 6)
    #expect(source.asked.map(\.count) == [30, 30, 30, 30, 30])
  }

  /// An answer without edges says nothing about an account whose existence is unknown.
  @Test func failsOnlyTheTargetThatCannotBeVerified() async throws {
    let fault = RelationshipError.networkError(TransportError(.timedOut, host: "h.test"))
    let source = ScriptedSource(
      { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } },
      unverifiable: [Accounts.did(7): fault])
    let answers = try await stage.collect(
      try stage.service(source, verifies: true).relationships(of: actor, with: Accounts.dids(1..<61)))
    #expect(answers.filter { $0.info != nil }.count == 59)
    #expect(answers[6].state == .failed(fault))
  }

  @Test func failsForAnActorThatCannotBeVerified() async throws {
    let fault = RelationshipError.networkError(TransportError(.timedOut, host: "h.test"))
    let source = ScriptedSource(unverifiable: [actor: fault])
    let answers = try stage.service(source, verifies: true).relationships(
      of: actor, with: Accounts.dids(1..<61))
    await #expect(throws: fault) {
      for try await answer in answers { Issue.record("\(answer)") }
    }
  }

  /// The targets of a sequence are all there, so no clock cuts a batch, however slow the machine is.
  @Test func noClockCutsTheBatchesOfASequence() async throws {
    let source = ScriptedSource()
    let answers = try stage.service(source).relationships(of: actor, with: Accounts.dids(1..<601))
    #expect(try await stage.collect(answers).count == 600)
    #expect(stage.clock.slept.isEmpty)
    #expect(source.asked.allSatisfy { $0.count == 30 })
  }

  @Test func waitsForTheEndIfConfigured() async throws {
    let source = ScriptedSource()
    let input = ScriptedInput(Accounts.dids(1..<4), ending: .silence)
    let service = try stage.service(source, linger: .zero)
    let all = Task { try await stage.collect(service.answers(of: actor, to: input)) }
    await input.counter.silence.untilArrived(1)
    try await stage.outlast()
    #expect(stage.clock.slept.isEmpty)
    #expect(source.asked.isEmpty)
    input.counter.silence.open()
    #expect(try await all.value.count == 3)
    #expect(source.asked.count == 1)
  }

  @Test func keepsTheOrderWhenCallsEndInReverse() async throws {
    let source = ScriptedSource(turnstile: Turnstile(isOpen: false))
    let targets = Accounts.dids(1..<241)
    let service = try stage.service(source)
    let task = Task { try await stage.collect(service.relationships(of: actor, with: targets)) }
    await source.turnstile.untilArrived(8)
    for number in (0..<8).reversed() { source.turnstile.release(number) }
    #expect(try await task.value.map(\.target) == targets)
  }

  @Test(arguments: [1, 3, 8]) func keepsTheConfiguredNumberOfCallsInProgress(lanes: Int) async throws {
    let source = ScriptedSource(turnstile: Turnstile(isOpen: false))
    let service = try stage.service(source, lanes: lanes)
    let task = Task {
      try await stage.collect(service.relationships(of: actor, with: Accounts.dids(1..<601)))
    }
    await source.turnstile.untilArrived(lanes)
    try await stage.outlast()
    #expect(source.turnstile.inside == lanes)
    source.turnstile.open()
    #expect(try await task.value.count == 600)
    #expect(source.turnstile.peak == lanes)
    #expect(source.asked.count == 20)
  }

  /// The window is full and its one call idle now and then: other work comes before a partial batch.
  @Test func handlesFillTheirCallsWithoutConcurrency() async throws {
    let appview = AppViewDouble(accounts: 150)
    let transport = ScriptedTransport { appview.answer($0) }
    let service = try stage.service(ScriptedSource(), lanes: 1, appview: transport)
    let questions = AsyncThrowingStream { input in
      for handle in Accounts.handles(1..<121) { input.yield(RelationshipQuestion(.handle(handle))) }
      input.finish()
    }
    let answers = try await stage.collect(service.answers(of: actor, to: questions))
    #expect(answers.map(\.target) == Accounts.dids(1..<121))
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 5)
  }

  @Test(arguments: [0, -1]) func toleratesAnInvalidConfiguration(nonsense: Int) async throws {
    let source = ScriptedSource(batchSize: nonsense)
    let answers = try await stage.collect(
      try stage.service(source, lanes: nonsense).relationships(of: actor, with: Accounts.dids(1..<4)))
    #expect(answers.map(\.target) == Accounts.dids(1..<4))
  }

  /// A full window may still fill a batch once something completes; until then fewer calls are better.
  @Test func sendsNoPartialBatchWhileCallsAreInProgress() async throws {
    let source = ScriptedSource(batchSize: 5, turnstile: Turnstile(isOpen: false))
    let targets =
      Accounts.dids(1..<13) + Array(repeating: Accounts.did(1), count: 18) + Accounts.dids(13..<16)
    let service = try stage.service(source, lanes: 3)
    let input = ScriptedInput(targets)
    let task = Task { try await stage.collect(service.answers(of: actor, to: input)) }
    await source.turnstile.untilArrived(2)
    await input.counter.untilTaken(30)
    try await stage.outlast()
    #expect(source.asked.map(\.count) == [5, 5])
    source.turnstile.open()
    #expect(try await task.value.map(\.target) == targets)
    #expect(source.asked.joined().sorted { "\($0)" < "\($1)" } == Accounts.dids(1..<16))
  }

  @Test func answersDuplicatesWithOneRequest() async throws {
    let source = ScriptedSource()
    let targets = [1, 2, 1, 0, 2, 1].map(Accounts.did)
    let answers = try await stage.collect(try stage.service(source).relationships(of: actor, with: targets))
    #expect(answers.map(\.target) == targets)
    #expect(answers[3].state == .itself)
    #expect(source.asked == [Accounts.dids(1..<3)])
  }

  /// Q1.
  @Test func resolvesHandlesFirst() async throws {
    let appview = AppViewDouble(accounts: 40)
    let transport = ScriptedTransport { appview.answer($0) }
    let source = ScriptedSource()
    let inputs = (1..<42).map { "@user\($0).test" } + ["nonsense", "\(Accounts.did(1))"]
    let input = ScriptedInput(inputs.map { RelationshipQuestion(typed: $0) })
    let answers = try await stage.collect(
      try stage.service(source, appview: transport).answers(of: actor, to: input))
    #expect(answers.map { $0.input ?? $0.target?.description } == inputs)
    #expect(answers.prefix(39).map(\.target) == Accounts.dids(1..<40).map(Optional.some))
    for answer in answers[39..<41] {
      guard case .notFound = answer.state else {
        Issue.record("\(answer)")
        continue
      }
    }
    guard case .failed(let fault) = answers[41].state else {
      Issue.record("\(answers[41])")
      return
    }
    #expect(fault.code == .invalidInput)
    #expect(answers[42].target == Accounts.did(1))
    #expect(Set(source.asked.joined()) == Set(Accounts.dids(1..<40)))
    #expect(source.asked.joined().count == 39)
  }

  // MARK: Faults

  /// Q3.
  @Test func throwsIfTheActorDoesNotExist() async throws {
    let source = ScriptedSource { actor, _ in throw RelationshipError.actorNotFound(actor) }
    let service = try stage.service(source)
    await #expect {
      try await stage.collect(service.relationships(of: actor, with: Accounts.dids(1..<100)))
    } throws: { ($0 as? RelationshipError)?.code == .actorNotFound }
  }

  @Test func failsOnlyTheTargetsOfAFailedBatch() async throws {
    let source = ScriptedSource { actor, targets in
      if targets.contains(Accounts.did(31)) {
        throw RelationshipError.networkError(TransportError(.timedOut, host: "h"))
      }
      return ScriptedSource.follows(actor, targets) { _ in true }
    }
    let answers = try await stage.collect(
      try stage.service(source).relationships(of: actor, with: Accounts.dids(1..<91)))
    for (number, answer) in zip(1..., answers) {
      #expect(answer.target == Accounts.did(number))
      if (31..<61).contains(number) {
        guard case .failed(let fault) = answer.state else {
          Issue.record("\(answer)")
          continue
        }
        #expect(fault.code == .networkError)
      } else {
        #expect(answer.info != nil)
      }
    }
    #expect(answers.count == 90)
  }

  @Test func answersQuestionsBeforeAnInputError() async throws {
    let source = ScriptedSource()
    let input = ScriptedInput(Accounts.dids(1..<41), ending: .fault)
    var answered: [DID?] = []
    await #expect(throws: ScriptedInput.Fault.self) {
      for try await answer in try stage.service(source).answers(of: actor, to: input) {
        answered.append(answer.target)
      }
    }
    #expect(answered == Accounts.dids(1..<41).map(Optional.some))
  }

  @Test func throwsAtOnceForAnInputErrorAtTheStart() async throws {
    let service = try stage.service(ScriptedSource())
    await #expect(throws: ScriptedInput.Fault.self) {
      try await stage.collect(service.answers(of: actor, to: ScriptedInput([DID](), ending: .fault)))
    }
  }
}
