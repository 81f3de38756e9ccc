// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct IdentityDirectoryTests {
  private let clock = ManualClock()
  private let appview = AppViewDouble(accounts: 100)

  private func directory(
    _ transport: ScriptedTransport, _ configuration: IdentityDirectory.Configuration = .init(),
    store: (any IdentityStore)? = nil
  ) throws -> IdentityDirectory {
    let service = try ServiceURL(parsing: "https://appview.test")
    let client = XRPCClient(
      service: service, transport: transport, configuration: XRPCClient.Configuration(retry: .never),
      time: clock.timeSource())
    return IdentityDirectory(
      handles: HandleResolver(client: client),
      documents: DIDResolver(
        plc: try ServiceURL(parsing: "https://plc.test"), named: TrustedHosts([service]),
        transport: transport,
        retry: .never, time: clock.timeSource()),
      store: store, configuration: configuration, time: clock.timeSource())
  }

  private func plain() -> ScriptedTransport { ScriptedTransport { [appview] in appview.answer($0) } }

  /// Also responds as the PLC directory: each account has a document that claims a handle.
  private func network(claims: [DID: String]) -> ScriptedTransport {
    ScriptedTransport { [appview] request in
      guard request.head.authority == "plc.test" else { return appview.answer(request) }
      guard let did = DID(RequestQuery(request).method), let handle = claims[did] else {
        return .absence(of: RequestQuery(request).method)
      }
      return TransportResponse(
        ##"{"id":"\##(did)","alsoKnownAs":["at://\##(handle)"],"service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]}"##
      )
    }
  }

  private func code(_ outcome: Result<DID, IdentityError>?) -> IdentityError.Code? {
    if case .failure(let error) = outcome { error.code } else { nil }
  }

  // MARK: Handles

  @Test(arguments: [(1, 1), (25, 1), (26, 2), (100, 4)]) func asksTwentyFiveAtATime(
    count: Int, calls: Int
  ) async throws {
    let transport = plain()
    let outcomes = try await directory(transport).dids(of: Accounts.handles(0..<count))
    #expect(transport.requests.count == calls)
    #expect(outcomes.count == count)
    for number in 0..<count { #expect(try outcomes[Accounts.handle(number)]?.get() == Accounts.did(number)) }
  }

  @Test func asksOnceForAHandleThatIsNamedOften() async throws {
    let transport = plain()
    let handles = Array(repeating: Accounts.handle(1), count: 60)
    _ = try await directory(transport).dids(of: handles)
    #expect(transport.requests.map { RequestQuery($0)["actors"] } == [["user1.test"]])
  }

  @Test func makesNoCallForAnEmptyRequest() async throws {
    let transport = plain()
    #expect(try await directory(transport).dids(of: []).isEmpty)
    #expect(transport.requests.isEmpty)
  }

  @Test func neverFindsTheInvalidHandle() async throws {
    let transport = plain()
    let outcomes = try await directory(transport).dids(of: [.invalid, Accounts.handle(1)])
    #expect(code(outcomes[.invalid]) == .notFound)
    #expect(try outcomes[Accounts.handle(1)]?.get() == Accounts.did(1))
    #expect(transport.requests.map { RequestQuery($0)["actors"] } == [["user1.test"]])
  }

  // MARK: Store

  /// Keeps everything in memory, with the times.
  private actor StoreDouble: IdentityStore {
    private var accounts: [Handle: (ResolvedHandle, at: Instant)] = [:]
    private var documents: [DID: (DIDDocument, at: Instant)] = [:]

    func accounts(of handles: [Handle], askedWithin time: ClosedRange<Instant>) -> [Handle: ResolvedHandle] {
      accounts.filter { handles.contains($0.key) && time.contains($0.value.at) }.mapValues(\.0)
    }

    func document(of did: DID, askedWithin time: ClosedRange<Instant>) -> DIDDocument? {
      documents[did].flatMap { time.contains($0.at) ? $0.0 : nil }
    }

    func keep(_ accounts: [Handle: ResolvedHandle], at now: Instant) {
      self.accounts.merge(accounts.mapValues { ($0, now) }) { _, new in new }
    }

    func keep(_ document: DIDDocument, at now: Instant) { documents[document.id] = (document, now) }
  }

  @Test func asksOnlyForWhatNoEarlierDirectoryFound() async throws {
    let store = StoreDouble()
    let transport = network(claims: [Accounts.did(1): "user1.test"])
    let earlier = try directory(transport, store: store)
    _ = try await earlier.dids(of: [Accounts.handle(1), try Handle(parsing: "nobody.test")])
    _ = try await earlier.document(of: Accounts.did(1))
    let count = transport.requests.count
    let later = try directory(transport, store: store)
    let found = try await later.dids(of: [Accounts.handle(1)])
    #expect(try found[Accounts.handle(1)]?.get() == Accounts.did(1))
    #expect(try await later.document(of: Accounts.did(1)).handle == Accounts.handle(1))
    #expect(transport.requests.count == count)
    // A name that was not found may exist by now.
    let both = try await later.dids(of: [Accounts.handle(1), try Handle(parsing: "nobody.test")])
    #expect(both.count == 2 && transport.requests.count > count)
    #expect(
      transport.requests.dropFirst(count).allSatisfy { !RequestQuery($0)["actors"].contains("user1.test") })
  }

  @Test func doesNotUseWhatAStoreHoldsForTooLongOrFromTheFuture() async throws {
    let store = StoreDouble()
    let transport = plain()
    _ = try await directory(transport, store: store).dids(of: [Accounts.handle(1)])
    clock.advance(by: .seconds(3_600))
    _ = try await directory(transport, store: store).dids(of: [Accounts.handle(1)])
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(1))
    _ = try await directory(transport, store: store).dids(of: [Accounts.handle(1)])
    #expect(transport.requests.count == 2)
    await store.keep([Accounts.handle(2): ResolvedHandle(Accounts.did(5))], at: .max)
    let found = try await directory(transport, store: store).dids(of: [Accounts.handle(2)])
    #expect(try found[Accounts.handle(2)]?.get() == Accounts.did(2))
  }

  @Test func asksAgainAboutInvalidatedActors() async throws {
    let store = StoreDouble()
    let transport = network(claims: [Accounts.did(1): "user1.test"])
    let directory = try directory(transport, store: store)
    _ = try await directory.dids(of: [Accounts.handle(1)])
    _ = try await directory.document(of: Accounts.did(1))
    await directory.invalidate(.handle(Accounts.handle(1)))
    await directory.invalidate(.did(Accounts.did(1)))
    _ = try await directory.dids(of: [Accounts.handle(1)])
    _ = try await directory.document(of: Accounts.did(1))
    #expect(transport.requests.count == 4)
  }

  @Test func keepsWhatItFoundForItsTime() async throws {
    let transport = plain()
    let directory = try directory(transport)
    _ = try await directory.did(of: .handle(Accounts.handle(1)))
    clock.advance(by: .seconds(3599))
    _ = try await directory.did(of: .handle(Accounts.handle(1)))
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(1))
    _ = try await directory.did(of: .handle(Accounts.handle(1)))
    #expect(transport.requests.count == 2)
  }

  @Test func keepsAnAbsenceForAShorterTime() async throws {
    let transport = plain()
    let directory = try directory(transport)
    let stranger = ATIdentifier.handle(Accounts.handle(500))
    await #expect(throws: IdentityError.self) { try await directory.did(of: stranger) }
    clock.advance(by: .seconds(299))
    await #expect(throws: IdentityError.self) { try await directory.did(of: stranger) }
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
    clock.advance(by: .seconds(1))
    appview.change { $0.accounts[Accounts.handle(500)] = Accounts.did(500) }
    #expect(try await directory.did(of: stranger) == Accounts.did(500))
  }

  @Test func keepsAFailureForTheShortestTime() async throws {
    let down = AppViewDouble(accounts: 1)
    let transport = ScriptedTransport([
      .success(TransportResponse(status: 503)), .success(down.answer(try await firstRequest())),
    ])
    let directory = try directory(transport)
    let handle = ATIdentifier.handle(Accounts.handle(0))
    await #expect(throws: IdentityError.self) { try await directory.did(of: handle) }
    clock.advance(by: .seconds(9))
    await #expect(throws: IdentityError.self) { try await directory.did(of: handle) }
    #expect(transport.requests.count == 1)
    clock.advance(by: .seconds(1))
    #expect(try await directory.did(of: handle) == Accounts.did(0))
  }

  /// The request for the first account's handle, as the library sends it.
  private func firstRequest() async throws -> TransportRequest {
    let probe = plain()
    _ = try await directory(probe).did(of: .handle(Accounts.handle(0)))
    return try #require(probe.requests.first)
  }

  @Test func keepsNothingOfACancelledQuestion() async throws {
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { [appview] in appview.answer($0) }
    let directory = try directory(transport)
    let task = Task { try await directory.did(of: .handle(Accounts.handle(1))) }
    await transport.turnstile.untilArrived(1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    transport.turnstile.open()
    #expect(try await directory.did(of: .handle(Accounts.handle(1))) == Accounts.did(1))
  }

  @Test func isNotPoisonedByUnrequestedResults() async throws {
    let transport = ScriptedTransport { [appview] request in
      guard RequestQuery(request)["actors"] == ["user1.test"] else { return appview.answer(request) }
      return TransportResponse(
        #"{"profiles":[{"did":"\#(Accounts.did(1))","handle":"user1.test"},{"did":"\#(Accounts.did(666))","handle":"user2.test"}]}"#
      )
    }
    let directory = try directory(transport)
    let outcomes = try await directory.dids(of: [Accounts.handle(1)])
    #expect(Set(outcomes.keys) == [Accounts.handle(1)])
    #expect(try await directory.did(of: .handle(Accounts.handle(2))) == Accounts.did(2))
  }

  @Test func hasAtMostSoManyCallsUnderWay() async throws {
    let transport = ScriptedTransport(turnstile: Turnstile(isOpen: false)) { [appview] in appview.answer($0) }
    let directory = try directory(transport, .init(concurrency: 3))
    let task = Task { try await directory.dids(of: Accounts.handles(0..<100)) }
    await transport.turnstile.untilArrived(3)
    for number in 0..<4 { transport.turnstile.release(number) }
    #expect(try await task.value.count == 100)
    #expect(transport.turnstile.peak == 3)
    #expect(transport.requests.count == 4)
  }

  @Test func forgetsOnRequest() async throws {
    let transport = plain()
    let directory = try directory(transport)
    let actor = ATIdentifier.handle(Accounts.handle(1))
    _ = try await directory.did(of: actor)
    await directory.invalidate(actor)
    _ = try await directory.did(of: actor)
    #expect(transport.requests.count == 2)
  }

  /// What an account was before it moved is neither returned to later callers nor cached.
  @Test(arguments: [true, false]) func forgetsLookUpsUnderWayToo(ofHandle: Bool) async throws {
    let turnstile = Turnstile(isOpen: false)
    let network = network(claims: [Accounts.did(1): "user1.test"])
    let transport = ScriptedTransport(turnstile: turnstile) { try await network.send($0) }
    let directory = try directory(transport)
    let actor: ATIdentifier = ofHandle ? .handle(Accounts.handle(1)) : .did(Accounts.did(1))
    @Sendable func ask() async throws -> DID {
      if ofHandle { return try await directory.did(of: actor) }
      return try await directory.document(of: Accounts.did(1)).id
    }
    let overtaken = Task { try await ask() }
    await turnstile.untilArrived(1)
    await directory.invalidate(actor)
    turnstile.release(0)
    #expect(try await overtaken.value == Accounts.did(1))
    turnstile.release(1)
    #expect(try await ask() == Accounts.did(1))
    try #require(transport.requests.count == 2, "what was forgotten is not remembered when it comes")

    await directory.invalidate(actor)
    let before = Task { try await ask() }
    await turnstile.untilArrived(3)
    await directory.invalidate(actor)
    let after = Task { try await ask() }
    // It starts a new lookup; if it waited for the earlier ones, the test would hang.
    await turnstile.untilArrived(4)
    turnstile.open()
    for task in [before, after] { #expect(try await task.value == Accounts.did(1)) }
    #expect(transport.requests.count == 4)
  }

  @Test func resolvesADIDWithoutACall() async throws {
    let transport = plain()
    #expect(try await directory(transport).did(of: .did(Accounts.did(7))) == Accounts.did(7))
    #expect(transport.requests.isEmpty)
  }

  // MARK: Documents

  @Test func keepsDocumentsAndTheirAbsence() async throws {
    let transport = network(claims: [Accounts.did(1): "user1.test"])
    let directory = try directory(transport)
    for _ in 0..<2 {
      #expect(try await directory.document(of: Accounts.did(1)).id == Accounts.did(1))
      await #expect(throws: IdentityError.self) { try await directory.document(of: Accounts.did(2)) }
    }
    #expect(transport.requests.count == 2)
    clock.advance(by: .seconds(300))
    _ = try await directory.document(of: Accounts.did(1))
    await #expect(throws: IdentityError.self) { try await directory.document(of: Accounts.did(2)) }
    #expect(transport.requests.count == 3)
    await directory.invalidate(.did(Accounts.did(1)))
    _ = try await directory.document(of: Accounts.did(1))
    #expect(transport.requests.count == 4)
  }

  // MARK: Equal look-ups at once

  @Test func sharesOneCallAmongAllWhoAskForAHandleAtOnce() async throws {
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { [appview] in appview.answer($0) }
    let directory = try directory(transport)
    let patient = Task { try await directory.did(of: .handle(Accounts.handle(1))) }
    await turnstile.untilArrived(1)
    let others = (0..<49).map { _ in Task { try await directory.did(of: .handle(Accounts.handle(1))) } }
    for other in others { other.cancel() }
    for other in others { await #expect(throws: CancellationError.self) { try await other.value } }
    turnstile.open()
    #expect(try await patient.value == Accounts.did(1))
    #expect(transport.requests.count == 1)
  }

  @Test func asksOnlyForKeysThatAreNotInProgress() async throws {
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { [appview] in appview.answer($0) }
    let directory = try directory(transport)
    let first = Task { try await directory.dids(of: Accounts.handles(0..<10)) }
    await turnstile.untilArrived(1)
    let second = Task { try await directory.dids(of: Accounts.handles(5..<15)) }
    await turnstile.untilArrived(2)
    #expect(RequestQuery(transport.requests[1])["actors"].count == 5)
    turnstile.open()
    #expect(try await first.value.count == 10)
    let outcomes = try await second.value
    #expect(Set(outcomes.keys) == Set(Accounts.handles(5..<15)))
    for number in 5..<15 { #expect(try outcomes[Accounts.handle(number)]?.get() == Accounts.did(number)) }
    #expect(transport.requests.count == 2)
  }

  @Test func cancelsALookupWithoutWaitersAndDoesNotCacheIt() async throws {
    let turnstile = Turnstile(isOpen: false)
    let transport = ScriptedTransport(turnstile: turnstile) { [appview] in appview.answer($0) }
    let directory = try directory(transport)
    let asker = Task { try await directory.did(of: .handle(Accounts.handle(1))) }
    await turnstile.untilArrived(1)
    asker.cancel()
    await #expect(throws: CancellationError.self) { try await asker.value }
    turnstile.open()
    #expect(try await directory.did(of: .handle(Accounts.handle(1))) == Accounts.did(1))
    #expect(transport.requests.count == 2)
  }

  @Test func sharesOneRequestAmongAllWhoAskForADocumentAtOnce() async throws {
    let turnstile = Turnstile(isOpen: false)
    let network = network(claims: [Accounts.did(1): "user1.test"])
    let transport = ScriptedTransport(turnstile: turnstile) { try await network.send($0) }
    let directory = try directory(transport)
    let patient = Task { try await directory.document(of: Accounts.did(1)) }
    await turnstile.untilArrived(1)
    let others = (0..<20).map { _ in Task { try await directory.document(of: Accounts.did(1)) } }
    others[0].cancel()
    await #expect(throws: CancellationError.self) { try await others[0].value }
    turnstile.open()
    #expect(try await patient.value.id == Accounts.did(1))
    for other in others.dropFirst() { #expect(try await other.value.id == Accounts.did(1)) }
    #expect(transport.requests.count == 1)
  }

  // MARK: Both directions

  @Test func provesAHandleThatLeadsBack() async throws {
    let identity = try await directory(network(claims: [Accounts.did(1): "user1.test"]))
      .identity(of: .handle(Accounts.handle(1)))
    #expect(identity.did == Accounts.did(1))
    #expect(identity.handle == Accounts.handle(1))
    #expect(identity.handleIsProven == true)
    #expect(identity.pds?.description == "https://pds.test")
  }

  @Test(arguments: ["user2.test", "user500.test", "handle.invalid"]) func disprovesAHandleOfAnotherAccount(
    claim: String
  ) async throws {
    let identity = try await directory(network(claims: [Accounts.did(1): claim])).identity(
      of: .did(Accounts.did(1)))
    #expect(identity.handle?.description == claim)
    #expect(identity.handleIsProven == false)
  }

  @Test func saysThatItCouldNotLearnIt() async throws {
    let network = network(claims: [Accounts.did(1): "user1.test"])
    let transport = ScriptedTransport { request in
      guard request.head.authority == "plc.test" else { return TransportResponse(status: 503) }
      return try await network.send(request)
    }
    let identity = try await directory(transport).identity(of: .did(Accounts.did(1)))
    #expect(identity.handle == Accounts.handle(1))
    #expect(identity.handleIsProven == nil)
  }

  @Test func hasNoIdentityForAnActorWithoutDocument() async throws {
    let directory = try directory(network(claims: [:]))
    await #expect {
      try await directory.identity(of: .handle(Accounts.handle(1)))
    } throws: { ($0 as? IdentityError)?.code == .notFound }
  }

  // MARK: Verified from this machine

  private static let name = "user1.example.com"

  private func proving(
    dns: [String], appview named: DID?, claims: [DID: String], isDown: Bool = false
  ) throws -> (IdentityDirectory, ScriptedTransport) {
    let service = try ServiceURL(parsing: "https://appview.test")
    let documents = network(claims: claims)
    let transport = ScriptedTransport { request in
      switch request.head.authority {
      case "plc.test": return try await documents.send(request)
      case "appview.test":
        if isDown { throw TransportError(.cannotConnect, host: "appview.test") }
        let profile = named.map { #"{"did":"\#($0)","handle":"\#(Self.name)"}"# } ?? ""
        return RequestQuery(request).method == "app.bsky.actor.getProfiles"
          ? TransportResponse(#"{"profiles":[\#(profile)]}"#)
          : .xrpcError(400, "InvalidRequest", "Unable to resolve handle")
      default: return TransportResponse(status: 404)
      }
    }
    let client = XRPCClient(
      service: service, transport: transport, configuration: XRPCClient.Configuration(retry: .never),
      time: clock.timeSource())
    let directory = IdentityDirectory(
      handles: HandleResolver(client: client),
      documents: DIDResolver(
        plc: try ServiceURL(parsing: "https://plc.test"), named: TrustedHosts([service]),
        transport: transport,
        retry: .never, time: clock.timeSource()),
      verifier: HandleVerifier(
        texts: ScriptedTextRecords(["_atproto.\(Self.name)": dns]), transport: transport,
        named: TrustedHosts([service]), time: clock.timeSource()),
      time: clock.timeSource())
    return (directory, transport)
  }

  @Test func saysWhichSourcesVerifyAHandle() async throws {
    let (directory, _) = try proving(
      dns: ["did=\(Accounts.did(1))"], appview: Accounts.did(1), claims: [Accounts.did(1): Self.name])
    let identity = try await directory.identity(of: .did(Accounts.did(1)))
    #expect(identity.handleIsProven == true)
    #expect(identity.verifiedBy == [.appview, .dns] && identity.contradictedBy == [])
  }

  @Test func anAppViewAloneVerifiesNothing() async throws {
    let (directory, _) = try proving(
      dns: [], appview: Accounts.did(1), claims: [Accounts.did(1): Self.name])
    let identity = try await directory.identity(of: .handle(Handle(parsing: Self.name)))
    #expect(identity.did == Accounts.did(1))
    #expect(identity.handleIsProven == false)
    #expect(identity.verifiedBy == [.appview])
  }

  /// A hostile AppView returns an account whose document claims another account's handle.
  @Test func anAppViewCannotVerifyAnImpostor() async throws {
    let claims = [Accounts.did(1): Self.name, Accounts.did(7): Self.name]
    let (directory, _) = try proving(
      dns: ["did=\(Accounts.did(1))"], appview: Accounts.did(7), claims: claims)
    let named = try await directory.identity(of: .handle(Handle(parsing: Self.name)))
    #expect(named.did == Accounts.did(1) && named.handleIsProven == true)
    #expect(named.verifiedBy == [.dns] && named.contradictedBy == [.appview])
    let impostor = try await directory.identity(of: .did(Accounts.did(7)))
    #expect(impostor.handleIsProven == false)
    #expect(impostor.verifiedBy == [.appview] && impostor.contradictedBy == [.dns])
  }

  @Test func findsAnIdentityWithoutAnAppView() async throws {
    let (directory, _) = try proving(
      dns: ["did=\(Accounts.did(1))"], appview: nil, claims: [Accounts.did(1): Self.name], isDown: true)
    let identity = try await directory.identity(of: .handle(Handle(parsing: Self.name)))
    #expect(identity.did == Accounts.did(1) && identity.handleIsProven == true)
    #expect(identity.verifiedBy == [.dns])
  }

  // MARK: Without an AppView

  @Test(arguments: [true, false]) func asksThePDSAndThenTheDomainIfTheAppViewIsDown(
    pdsKnows: Bool
  ) async throws {
    let (directory, _) = try proving(
      dns: pdsKnows ? [] : ["did=\(Accounts.did(1))"], appview: nil, claims: [:], isDown: true)
    let answer =
      pdsKnows
      ? TransportResponse(#"{"did":"\#(Accounts.did(1))"}"#)
      : .xrpcError(400, "InvalidRequest", "Unable to resolve handle")
    let pds = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: ScriptedTransport { _ in answer },
      configuration: XRPCClient.Configuration(retry: .never), time: clock.timeSource())
    let handle = try Handle(parsing: Self.name)
    let outcomes = try await directory.dids(of: [handle, .invalid], orBy: pds)
    #expect(try outcomes[handle]?.get() == Accounts.did(1))
    #expect(code(outcomes[.invalid]) == .notFound)
  }
}
