// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What a writer does shows in the profiles of an app.
@Suite struct WriterProfileTests {
  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let clock = ManualClock(.skipping)

  /// A profile of an AppView that knows no follow of the account.
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

  /// Shows whichever accounts are asked for.
  private func open(turnstile: Turnstile = Turnstile()) -> ScriptedTransport {
    ScriptedTransport(turnstile: turnstile) { [self] in answer(RequestQuery($0)["actors"]) }
  }

  private func writer(
    _ pds: PDSDouble, _ turnstile: Turnstile, _ profiles: ProfileService
  ) throws -> RelationshipWriter {
    let time = clock.timeSource()
    let client = try pds.client(ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }, time)
    let own = OwnRecords(of: me, client: client)
    return RelationshipWriter(
      repository: PDSRepository(account: me, pds: client, records: own),
      facts: FactLoader(
        account: me, pds: client, appview: client, records: own), profiles: profiles,
      keys: TIDClock(clockID: 1) { time.instant }, time: time)
  }

  @Test func countsMoveAtOnceAndBackIfTheServerRefuses() async throws {
    let profiles = try service(open())
    _ = try await profiles.profiles(of: [me, other])
    let pds = PDSDouble(account: me)
    pds.change { $0.faults = [.answer(.xrpcError(400, "InvalidRequest", "no"))] }
    let turnstile = Turnstile(isOpen: false)
    let writer = try writer(pds, turnstile, profiles)
    let follow = Task { try await writer.follow(other) }
    await turnstile.untilArrived(1)
    #expect(profiles.cachedProfile(of: other)?.followersCount == 11)
    #expect(profiles.cachedProfile(of: me)?.followsCount == 6)
    turnstile.open()
    await #expect(throws: ChangeFailure.self) { try await follow.value }
    #expect(profiles.cachedProfile(of: other)?.followersCount == 10)
    #expect(profiles.cachedProfile(of: me)?.followsCount == 5)
    try await writer.follow(other)
    #expect(profiles.cachedProfile(of: other)?.followersCount == 11)
    #expect(profiles.cachedProfile(of: other)?.viewer?.following != nil)
    #expect(profiles.cachedProfile(of: me)?.followsCount == 6)
    try await writer.block(other)
    #expect(profiles.cachedProfile(of: other)?.followersCount == 10)
    #expect(profiles.cachedProfile(of: other)?.viewer?.blocking != nil)
    #expect(profiles.cachedProfile(of: me)?.followsCount == 5)
  }

  @Test func forgetsCountsInDoubt() async throws {
    let profiles = try service(open())
    _ = try await profiles.profiles(of: [me, other])
    let pds = PDSDouble(account: me)
    let writer = try writer(pds, Turnstile(), profiles)
    try await writer.follow(other)
    pds.change {
      $0.faults = [.answerLost(.connectionLost)]
      $0.answerToQuestions = TransportResponse(status: 503, "")
    }
    await #expect {
      try await writer.unfollow(other)
    } throws: {
      ($0 as? ChangeFailure)?.isInDoubt == true
    }
    #expect(profiles.cachedProfile(of: other) == nil)
    #expect(profiles.cachedProfile(of: me) == nil)
  }

  /// Another device unfollowed, and the AppView still shows the follow and counts it.
  @Test func anUnfollowThatHoldsIsShownInProfiles() async throws {
    let viewer = #"{"following":"at://\#(me)/app.bsky.graph.follow/3old"}"#
    let profiles = try service(
      ScriptedTransport { [other] request in
        let rows = RequestQuery(request)["actors"].map { did in
          let shown = did == "\(other)" ? viewer : "{}"
          return
            #"{"did":"\#(did)","handle":"a.test","followersCount":10,"followsCount":5,"viewer":\#(shown)}"#
        }
        return TransportResponse(#"{"profiles":[\#(rows.joined(separator: ","))]}"#)
      })
    _ = try await profiles.profiles(of: [me, other])
    let writer = try writer(PDSDouble(account: me), Turnstile(), profiles)
    for _ in 0..<2 {
      #expect(try await writer.unfollow(other).ending == .held)
      #expect(profiles.cachedProfile(of: other)?.viewer?.following == nil)
      #expect(profiles.cachedProfile(of: other)?.followersCount == 9)
      #expect(profiles.cachedProfile(of: me)?.followsCount == 4)
    }
  }

  @Test func anUnblockThatHoldsIsShownInProfiles() async throws {
    let viewer = #"{"blocking":"at://\#(me)/app.bsky.graph.block/3old"}"#
    let profiles = try service(
      ScriptedTransport { request in
        let rows = RequestQuery(request)["actors"].map {
          #"{"did":"\#($0)","handle":"a.test","viewer":\#(viewer)}"#
        }
        return TransportResponse(#"{"profiles":[\#(rows.joined(separator: ","))]}"#)
      })
    #expect(try await profiles.profile(of: other).viewer?.blocking != nil)
    let writer = try writer(PDSDouble(account: me), Turnstile(), profiles)
    #expect(try await writer.unblock(other).ending == .held)
    #expect(try await profiles.profile(of: other).viewer?.blocking == nil)
  }

  @Test func doesNotChangeProfilesOfAnotherAccount() async throws {
    let transport = open()
    let client = XRPCClient(service: try ServiceURL(parsing: "https://appview.test"), transport: transport)
    let profiles = ProfileService(account: Accounts.did(5), client: client)
    _ = try await profiles.profile(of: other)
    try await writer(PDSDouble(account: me), Turnstile(), profiles).follow(other)
    #expect(profiles.cachedProfile(of: other)?.followersCount == 10)
  }
}
