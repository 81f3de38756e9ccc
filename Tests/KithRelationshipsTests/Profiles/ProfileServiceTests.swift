// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct ProfileServiceTests {
  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let method = "app.bsky.actor.getProfiles"
  private let clock = ManualClock(.skipping)

  /// A profile from an AppView that knows no follow by the account.
  private static func profile(_ did: String) -> String {
    #"{"did":"\#(did)","handle":"a.test","followersCount":10,"followsCount":5,"viewer":{}}"#
  }

  private func answer(_ dids: [String]) -> TransportResponse {
    TransportResponse(#"{"profiles":[\#(dids.map(Self.profile).joined(separator: ","))]}"#)
  }

  private func service(
    _ transport: ScriptedTransport, policy: ProfileService.Policy = .init()
  ) throws -> ProfileService {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: .init(retry: .never), time: clock.timeSource())
    return ProfileService(account: me, client: client, policy: policy)
  }

  /// Answers with any requested profile.
  private func open(turnstile: Turnstile = Turnstile()) -> ScriptedTransport {
    ScriptedTransport(turnstile: turnstile) { [self] in answer(RequestQuery($0)["actors"]) }
  }

  @Test func requests25PerCallAndCachesThem() async throws {
    let transport = open()
    let service = try service(transport)
    let accounts = Accounts.dids(1..<61)
    #expect(try await Set(service.profiles(of: accounts + accounts).keys) == Set(accounts))
    #expect(transport.calls(of: method) == 3)
    #expect(try await service.profile(of: accounts[7]).followersCount == 10)
    #expect(service.cachedProfile(of: accounts[8])?.did == accounts[8])
    #expect(transport.calls(of: method) == 3)
    service.invalidate(accounts[7])
    #expect(service.cachedProfile(of: accounts[7]) == nil)
    _ = try await service.profiles(of: accounts)
    #expect(transport.calls(of: method) == 4)
    clock.advance(by: .seconds(300))
    _ = try await service.profile(of: accounts[0])
    #expect(transport.calls(of: method) == 5)
    service.clearCache()
    #expect(service.cachedProfile(of: accounts[0]) == nil)
  }

  @Test func concurrentQueriesShareOneCallAndSurviveACancellation() async throws {
    let turnstile = Turnstile(isOpen: false)
    let transport = open(turnstile: turnstile)
    let service = try service(transport)
    let first = Task { try await service.profile(of: other) }
    await turnstile.untilArrived(1)
    let second = Task { try await service.profiles(of: [other, me]) }
    await turnstile.untilArrived(2)
    first.cancel()
    await #expect(throws: CancellationError.self) { try await first.value }
    turnstile.open()
    #expect(try await second.value.count == 2)
    #expect(transport.requests.map { RequestQuery($0)["actors"] } == [["\(other)"], ["\(me)"]])
  }

  @Test func anAnswerRequestedBeforeAnInvalidationIsNotCached() async throws {
    let turnstile = Turnstile(isOpen: false)
    let transport = open(turnstile: turnstile)
    let service = try service(transport)
    let first = Task { try await service.profile(of: other) }
    await turnstile.untilArrived(1)
    service.invalidate(other)
    let second = Task { try await service.profile(of: other) }
    await turnstile.untilArrived(2)
    turnstile.release(0)
    #expect(try await first.value.did == other)
    #expect(service.cachedProfile(of: other) == nil)
    turnstile.release(1)
    #expect(try await second.value.did == other)
    #expect(service.cachedProfile(of: other) != nil)
  }

  /// One bad profile costs one profile, and its query alone says what is wrong.
  @Test(arguments: ["null", "7", #"{"did":"x","handle":"a.test"}"#, #"{"handle":"a.test"}"#])
  func anUnreadableProfileCostsOneProfile(bad: String) async throws {
    let accounts = Accounts.dids(1..<26)
    let transport = ScriptedTransport { request in
      let query = RequestQuery(request)
      guard query.method == "app.bsky.actor.getProfiles" else { return TransportResponse(bad) }
      let rows = query["actors"].map { $0 == "\(Accounts.did(7))" ? bad : Self.profile($0) }
      return TransportResponse(#"{"profiles":[\#(rows.joined(separator: ","))]}"#)
    }
    let service = try service(transport)
    let profiles = try await service.profiles(of: accounts)
    #expect(Set(profiles.keys) == Set(accounts).subtracting([Accounts.did(7)]))
    let fault = await #expect(throws: RelationshipError.self) {
      try await service.profile(of: Accounts.did(7))
    }
    #expect(fault?.code == .invalidResponse)
  }

  /// Q14.
  @Test func hiddenAccountsAreLeftOutAndNotConfused() async throws {
    let hidden = try service(ScriptedTransport(responses: [answer([])]))
    #expect(try await hidden.profiles(of: [other]).isEmpty)
    let wrong = try service(ScriptedTransport(responses: [answer(["\(Accounts.did(9))"])]))
    await #expect {
      try await wrong.profile(of: other)
    } throws: { error in
      "\(error)".contains("getProfiles: profiles[0].did: \(Accounts.did(9)) was not requested")
    }
  }

  /// `getProfiles` leaves all of these out; only `getProfile` returns the reason (Q2, Q14).
  @Test(arguments: [
    ("InvalidRequest", "Profile not found", RelationshipError.Code.actorNotFound),
    ("AccountTakedown", "Account has been suspended", .accountTakenDown),
    ("AccountDeactivated", "Account is deactivated", .accountDeactivated),
    ("InternalServerError", "oops", .refused),
  ])
  func aMissingProfileHasAReason(
    name: String, message: String, code: RelationshipError.Code
  ) async throws {
    let refusal = TransportResponse(status: 400, #"{"error":"\#(name)","message":"\#(message)"}"#)
    let service = try service(ScriptedTransport(responses: [answer([]), refusal]))
    let error = await #expect(throws: RelationshipError.self) { try await service.profile(of: other) }
    #expect(error?.code == code)
  }

  @Test func aProfileFromTheSingleCallIsCached() async throws {
    let single = TransportResponse(Self.profile("\(other)"))
    let service = try service(ScriptedTransport(responses: [answer([]), single]))
    #expect(try await service.profile(of: other).followersCount == 10)
    #expect(service.cachedProfile(of: other)?.did == other)
  }

  @Test func aFailedCallIsReportedAndOtherResultsAreCached() async throws {
    let accounts = Accounts.dids(1..<27)
    let transport = ScriptedTransport { [self] request in
      let actors = RequestQuery(request)["actors"]
      return actors.count == 25 ? answer(actors) : TransportResponse(status: 500, "")
    }
    let service = try service(transport, policy: .init(concurrency: 1))
    await #expect(throws: RelationshipError.self) { try await service.profiles(of: accounts) }
    #expect(service.cachedProfile(of: accounts[0]) != nil)
    #expect(service.cachedProfile(of: accounts[25]) == nil)
  }
}
