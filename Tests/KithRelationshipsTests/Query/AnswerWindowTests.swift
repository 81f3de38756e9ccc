// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct AnswerWindowTests {
  private let actor = Accounts.did(0)

  private func window(size: Int = 480, verifies: Bool = false) -> AnswerWindow {
    AnswerWindow(
      actor: actor, sizes: AnswerWindow.Sizes(resolve: 25, verify: 25, window: size),
      verification: verifies ? .all : .off)
  }

  /// Reports to the window whether the actor follows each requested target.
  private func learn(
    _ window: inout AnswerWindow, _ requests: [AnswerWindow.Request], follows: Bool = true
  ) throws {
    try window.learned(
      requests.map { request in
        let info = RelationshipInfo.made(
          actor: actor, target: request.pair.opposite(actor), follows: follows)
        return AnswerWindow.Delivery(slot: request.slot, outcome: .finding(.known(info)))
      })
  }

  private func fail(
    _ window: inout AnswerWindow, _ request: AnswerWindow.Request, _ finding: RelationshipFinding
  ) throws {
    try window.learned([AnswerWindow.Delivery(slot: request.slot, outcome: .finding(finding))])
  }

  /// Takes requests, none of them cached, and verifies their targets if required.
  private func request(_ window: inout AnswerWindow) -> [AnswerWindow.Request] {
    let requests = window.takeRequests().requests
    window.verify(requests)
    return requests
  }

  @Test func requestsEachTargetAtOnce() {
    var window = window()
    for did in Accounts.dids(1..<3) { window.add(RelationshipQuestion(did)) }
    #expect(
      window.takeRequests().requests
        == [1, 2].map { .init(actor, Accounts.did($0), slot: $0 - 1, due: nil) })
    #expect(window.requested == 2)
    #expect(window.openTargets == Accounts.dids(1..<3))
    #expect(window.takeRequests().requests.isEmpty)
  }

  /// Taking answers makes room for targets that fill the batch, so it need not be sent partially.
  @Test func isNotStuckWhileThereAreAnswers() throws {
    var window = window(size: 40)
    for did in Accounts.dids(1..<41) { window.add(RelationshipQuestion(did)) }
    #expect(window.isFull && window.isStuck)
    let requests = window.takeRequests().requests
    try learn(&window, Array(requests.prefix(30)))
    #expect(window.isFull && !window.isStuck)
    #expect(window.takeAnswers().count == 30)
    #expect(!window.isFull && !window.isStuck)
    #expect(window.requested == 10)
  }

  /// Q1.
  @Test func resolvesTwentyFiveHandlesPerCallFirst() {
    var window = window()
    let handles = Accounts.handles(1..<31)
    for handle in handles { window.add(RelationshipQuestion(.handle(handle))) }
    #expect(window.takeRequests().requests.isEmpty)
    #expect(window.nextWork(draining: false) == .resolve(Array(handles.prefix(25))))
    #expect(window.nextWork(draining: false) == nil)
    #expect(window.nextWork(draining: true) == .resolve(Array(handles.suffix(5))))
    #expect(window.nextWork(draining: true) == nil)
    #expect(window.isResolving)
  }

  @Test func answersATargetHoweverItIsNamed() throws {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    window.add(RelationshipQuestion(.handle(Accounts.handle(1))))
    window.add(RelationshipQuestion(.handle(Accounts.handle(1))))
    window.add(RelationshipQuestion(typed: "@user1.test"))
    #expect(window.nextWork(draining: true) == .resolve([Accounts.handle(1)]))
    window.resolved([Accounts.handle(1): .success(ResolvedHandle(Accounts.did(1)))], of: [Accounts.handle(1)])
    let requests = window.takeRequests().requests
    #expect(requests.map { $0.pair.opposite(actor) } == Array(repeating: Accounts.did(1), count: 4))
    try learn(&window, requests)
    let answers = window.takeAnswers()
    #expect(answers.map(\.input) == [nil, "user1.test", "user1.test", "@user1.test"])
    #expect(answers.allSatisfy { $0.target == Accounts.did(1) && $0.info?.isFollowing == true })
    #expect(answers.map(\.view?.handle) == [nil] + Array(repeating: Accounts.handle(1), count: 3))
    #expect(window.isEmpty)
    #expect(!window.isResolving)
  }

  /// Q4.
  @Test func answersTheActorItselfWithoutARequest() {
    var window = window()
    window.add(RelationshipQuestion(actor))
    window.add(RelationshipQuestion(.handle(Accounts.handle(0))))
    #expect(window.takeAnswers().map(\.state) == [.itself])
    #expect(window.nextWork(draining: true) == .resolve([Accounts.handle(0)]))
    window.resolved([Accounts.handle(0): .success(ResolvedHandle(actor))], of: [Accounts.handle(0)])
    let view = AccountView(actor, handle: Accounts.handle(0))
    #expect(
      window.takeAnswers() == [
        RelationshipAnswer(input: "user0.test", target: actor, state: .itself, view: view)
      ])
    #expect(window.takeRequests().requests.isEmpty)
  }

  @Test func answersAnUnreadableInputAtItsPlace() throws {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    window.add(RelationshipQuestion(typed: "absent", at: "stdin:2"))
    window.add(RelationshipQuestion(Accounts.did(2)))
    #expect(window.takeAnswers().isEmpty)
    #expect(!window.hasAnswer)
    let requests = window.takeRequests().requests
    try learn(&window, requests)
    #expect(window.hasAnswer)
    let answers = window.takeAnswers()
    #expect(answers.map(\.target) == [Accounts.did(1), nil, Accounts.did(2)])
    #expect(answers[1].input == "absent")
    guard case .failed(let error) = answers[1].state else {
      Issue.record("\(answers[1])")
      return
    }
    #expect(error.code == .invalidInput)
    #expect("\(error)".contains("stdin:2"))
  }

  @Test func laterAnswersWaitForEarlierOnes() throws {
    var window = window()
    for did in Accounts.dids(1..<5) { window.add(RelationshipQuestion(did)) }
    let requests = window.takeRequests().requests
    try learn(&window, Array(requests[2...]))
    #expect(window.takeAnswers().isEmpty)
    try learn(&window, Array(requests[..<2]))
    #expect(window.takeAnswers().map(\.target) == Accounts.dids(1..<5))
  }

  /// Lists of mutes leave out accounts that the AppView does not show (Q9).
  @Test func anAccountThatIsNotShownIsNotSaidToBeUnmuted() throws {
    var window = window(verifies: true)
    for did in Accounts.dids(1..<4) { window.add(RelationshipQuestion(did)) }
    let requests = request(&window)
    try window.learned(
      requests.map { request in
        let target = request.pair.opposite(actor)
        let info = RelationshipInfo.made(actor: actor, target: target, follows: true)
          .muted(target == Accounts.did(3))
        return AnswerWindow.Delivery(slot: request.slot, outcome: .finding(.known(info)))
      })
    let asked = [actor] + Accounts.dids(1..<4)
    let finding = ExistenceFinding(existing: Set(asked), hidden: [asked[2], asked[3]])
    window.verified(.success(finding), among: asked)
    let muted = window.takeAnswers().map { answer -> Bool? in
      if case .known(let info) = answer.state { info.muted } else { nil }
    }
    #expect(muted == [false, nil, true])
  }

  @Test func isFullAtItsLimitUntilAnswersAreTaken() {
    var window = window(size: 2)
    window.add(RelationshipQuestion(actor))
    #expect(!window.isFull)
    window.add(RelationshipQuestion(actor))
    #expect(window.isFull)
    #expect(window.takeAnswers().count == 2)
    #expect(!window.isFull)
    #expect(window.isEmpty)
  }

  @Test func answersATargetThatIsNotFoundOrFails() throws {
    var window = window()
    for did in Accounts.dids(1..<3) { window.add(RelationshipQuestion(did)) }
    let requests = window.takeRequests().requests
    let fault = RelationshipError.networkError(TransportError(.timedOut, host: "appview.test"))
    try fail(&window, requests[0], .failed(fault))
    try fail(&window, requests[1], .notFound)
    #expect(
      window.takeAnswers().map(\.state)
        == [.failed(fault), .notFound(reason: RelationshipError.noSuchAccount)])
  }

  /// Q3.
  @Test func throwsWhenTheActorDoesNotExist() {
    var window = window()
    window.add(RelationshipQuestion(Accounts.did(1)))
    let requests = window.takeRequests().requests
    #expect(throws: RelationshipError.actorNotFound(actor)) {
      try window.learned([.init(slot: requests[0].slot, outcome: .noActor(.actorNotFound(actor)))])
    }
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
    #expect(window.isEmpty)
  }

  // MARK: Verification

  /// Q2.
  @Test(arguments: [true, false])
  func distinguishesAMissingAccountFromOneWithoutEdges(verificationFirst: Bool) throws {
    var window = window(verifies: true)
    let targets = Accounts.dids(1..<4)
    for did in targets { window.add(RelationshipQuestion(did)) }
    let requests = request(&window)
    #expect(window.nextWork(draining: true) == .verify(targets))
    if !verificationFirst { try learn(&window, requests, follows: false) }
    #expect(window.takeAnswers().isEmpty)
    window.verified(.success(ExistenceFinding(existing: [targets[0], targets[2]])), among: targets)
    if verificationFirst {
      #expect(window.takeAnswers().isEmpty)
      try learn(&window, requests, follows: false)
    }
    let answers = window.takeAnswers()
    #expect(answers[0].info != nil)
    #expect(answers[1].state == .notFound(reason: RelationshipError.noSuchAccount))
    #expect(answers[2].info != nil)
    #expect(window.isEmpty)
  }

  @Test func verifiesTwentyFiveAccountsPerCall() {
    var window = window(verifies: true)
    let targets = Accounts.dids(1..<31)
    for did in targets { window.add(RelationshipQuestion(did)) }
    _ = request(&window)
    #expect(window.nextWork(draining: false) == .verify(Array(targets.prefix(25))))
    #expect(window.nextWork(draining: false) == nil)
    #expect(window.nextWork(draining: true) == .verify(Array(targets.suffix(5))))
  }

  /// Handles being resolved provide accounts that fill the call.
  @Test func aPartialVerificationWaitsForHandles() {
    var window = window(verifies: true)
    window.add(RelationshipQuestion(Accounts.did(1)))
    window.add(RelationshipQuestion(.handle(Accounts.handle(2))))
    _ = request(&window)
    #expect(window.nextWork(draining: true) == .resolve([Accounts.handle(2)]))
    #expect(window.nextWork(draining: true) == nil)
    window.resolved([Accounts.handle(2): .success(ResolvedHandle(Accounts.did(2)))], of: [Accounts.handle(2)])
    _ = request(&window)
    #expect(window.nextWork(draining: true) == .verify(Accounts.dids(1..<3)))
  }

  @Test func verifiesATargetOnceHoweverOftenItIsNamed() throws {
    var window = window(verifies: true)
    for number in [1, 2, 1] { window.add(RelationshipQuestion(Accounts.did(number))) }
    let requests = request(&window)
    #expect(window.nextWork(draining: true) == .verify(Accounts.dids(1..<3)))
    try learn(&window, requests, follows: false)
    window.verified(.success(ExistenceFinding(existing: [Accounts.did(1)])), among: Accounts.dids(1..<3))
    #expect(window.takeAnswers().map { $0.info != nil } == [true, false, true])
  }

  @Test func failsATargetWhoseExistenceIsUnknown() throws {
    var window = window(verifies: true)
    window.add(RelationshipQuestion(Accounts.did(1)))
    let requests = request(&window)
    _ = window.nextWork(draining: true)
    window.verified(.failure(.invalidResponse), among: [Accounts.did(1)])
    try learn(&window, requests, follows: false)
    #expect(window.takeAnswers().map(\.state) == [.failed(.invalidResponse)])
    #expect(window.isEmpty)
  }

  /// A learned edge is not dropped because the existence of its account cannot be verified, or is denied.
  @Test(arguments: [true, false]) func keepsLearnedEdgesOfAnAccountThatMayNotExist(
    verificationFirst: Bool
  )
    throws
  {
    let target = Accounts.did(1)
    for outcome: Result<ExistenceFinding, RelationshipError> in [
      .failure(.invalidResponse), .success(ExistenceFinding(existing: [])),
      .success(ExistenceFinding(existing: [target], hidden: [target])),
    ] {
      var window = window(verifies: true)
      window.add(RelationshipQuestion(target))
      let requests = request(&window)
      _ = window.nextWork(draining: true)
      let edge = RelationshipFinding.known(.made(actor: actor, target: target, follows: true))
      if verificationFirst { window.verified(outcome, among: [target]) }
      #expect(window.takeAnswers().isEmpty)
      try window.learned(requests.map { .init(slot: $0.slot, outcome: .finding(edge)) })
      if !verificationFirst { window.verified(outcome, among: [target]) }
      let answers = window.takeAnswers()
      #expect(answers.map { $0.info?.isFollowing } == [true])
      #expect(answers.map(\.presence) == [try? outcome.get().presence(of: target)])
    }
  }

  /// The host of a did:web without a document: the account is not found, but nothing proves that it is gone.
  @Test func tellsWhyAnAccountIsNotFound() throws {
    var window = window(verifies: true)
    window.add(RelationshipQuestion(Accounts.did(1)))
    let requests = request(&window)
    _ = window.nextWork(draining: true)
    let error = RelationshipError(.actorNotFound, detail: "https://a.test answered 404")
    window.verified(
      .success(ExistenceFinding(existing: [], faults: [Accounts.did(1): error])), among: [Accounts.did(1)])
    try learn(&window, requests, follows: false)
    #expect(window.takeAnswers().map(\.state) == [.notFound(reason: "https://a.test answered 404")])
  }

  /// A record of the target shows that the target exists, not that the actor does.
  @Test func onlyAnEdgeOfTheActorProvesThatItExists() throws {
    var window = AnswerWindow(
      actor: actor, sizes: AnswerWindow.Sizes(resolve: 25, verify: 25, window: 480),
      verification: .only([actor]))
    let targets = Accounts.dids(1..<3)
    for did in targets { window.add(RelationshipQuestion(did)) }
    let infos = [
      RelationshipInfo(
        actor: actor, target: targets[0],
        followedBy: ATURI("at://\(targets[0])/app.bsky.graph.follow/3jui7kd54zh2y"),
        checkedAt: Datetime(at: 0), source: .appview),
      .made(actor: actor, target: targets[1], follows: true),
    ]
    try window.learned(
      zip(window.takeRequests().requests, infos).map { .init(slot: $0.slot, outcome: .finding(.known($1))) })
    #expect(window.nextWork(draining: true) == .verify([actor]))
    window.verified(.failure(.invalidResponse), among: [actor])
    #expect(window.takeAnswers().map(\.state) == [.failed(.invalidResponse), .known(infos[1])])
  }

  /// A cached answer may be taken before the other requests are verified.
  @Test func doesNotVerifyTakenAnswers() throws {
    var window = window(verifies: true)
    for did in Accounts.dids(1..<3) { window.add(RelationshipQuestion(did)) }
    let requests = window.cached([Accounts.did(1): true], among: window.takeRequests().requests)
    try learn(&window, [requests[0]])
    #expect(window.takeAnswers().map(\.target) == [Accounts.did(1)])
    window.verify(requests)
    #expect(window.nextWork(draining: true) == .verify([Accounts.did(2)]))
  }

  @Test func doesNotVerifyCachedAccounts() throws {
    var window = window(verifies: true)
    let targets = Accounts.dids(1..<5)
    for did in targets { window.add(RelationshipQuestion(did)) }
    let (all, unverified) = window.takeRequests()
    #expect(unverified == targets)
    let requests = window.cached([targets[0]: true, targets[1]: false], among: all)
    #expect(requests.map { $0.pair.opposite(actor) } == [targets[0], targets[2], targets[3]])
    try learn(&window, [requests[0]])
    try fail(&window, requests[1], .notFound)
    window.verify(requests)
    let answers = window.takeAnswers()
    #expect(answers.count == 3)
    #expect(answers.first?.info != nil)
    #expect(answers.dropFirst().allSatisfy { $0.state == .notFound(reason: RelationshipError.noSuchAccount) })
    #expect(window.requested == 1)
    #expect(window.nextWork(draining: true) == .verify([targets[3]]))
  }
}
