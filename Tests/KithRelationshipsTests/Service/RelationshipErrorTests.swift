// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct RelationshipErrorTests {
  private func failure(_ script: [Result<TransportResponse, any Error>]) async throws -> XRPCError {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: ScriptedTransport(script),
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    do {
      let parameters = App.Bsky.Actor.GetProfile.Parameters(actor: .did(Accounts.did(1)))
      _ = try await client.query(App.Bsky.Actor.GetProfile.self, parameters)
    } catch let error as XRPCError {
      return error
    }
    throw TransportError(.closed, host: "the call was to fail")
  }

  @Test func readsNaturallyWhereItIsThrownAndCaught() {
    do {
      throw RelationshipError.actorNotFound("alice.test")
    } catch let error as RelationshipError where error.code == .actorNotFound {
      #expect(error.subject == "alice.test")
    } catch {
      Issue.record("\(error)")
    }
    func refuse() throws { throw RelationshipError.clientNotConfigured }
    #expect(throws: RelationshipError.clientNotConfigured) { try refuse() }
    #expect(RelationshipError.invalidResponse.code == .invalidResponse)
    #expect(
      RelationshipError.networkError(TransportError(.timedOut, host: "h.test")).underlying is TransportError)
  }

  @Test(arguments: [
    (429, "RateLimitExceeded", RelationshipError.Code.rateLimited),
    (401, "AuthMissing", .clientNotConfigured),
    (401, "Unauthorized", .clientNotConfigured), (400, "AuthMissing", .clientNotConfigured),
    (400, "InvalidRequest", .refused), (403, "Forbidden", .refused), (404, "NotFound", .refused),
    (500, "InternalServerError", .networkError), (503, "x", .networkError),
  ]) func classifiesTheRefusalsOfAServer(status: Int, name: String, code: RelationshipError.Code) async throws
  {
    let call = try await failure([.success(.xrpcError(status, name, "words of the server"))])
    let error = RelationshipError(call)
    #expect(error.code == code)
    #expect(error.underlying is XRPCError)
    #expect("\(error)".contains("words of the server"))
    #expect("\(error)".contains("https://appview.test"))
  }

  @Test(arguments: ["BlockedActor", "BlockedByActor"])
  func aBlockIsNeitherAFailureNorAMissingAccount(name: String) async throws {
    let call = try await failure([.success(.xrpcError(400, name, "Actor not found, it seems"))])
    #expect(RelationshipError(call).code == .hiddenByBlock)
    #expect(RelationshipError(call).underlying is XRPCError)
    // A gateway's page that names it says nothing about a block.
    let other = try await failure([.success(.xrpcError(500, name, "failing"))])
    #expect(RelationshipError(other).code == .networkError)
  }

  /// Signing in is the remedy, and no server was called that could have failed.
  @Test func distinguishesAnExpiredSessionFromANetworkError() async throws {
    let clock = ManualClock(.skipping)
    let time = clock.timeSource()
    let server = SessionServerDouble { time.instant }
    let session = try #require(server.session())
    server.revoke()
    let plain = XRPCClient(
      service: session.pds, transport: ScriptedTransport { try server.answer($0) }, time: time)
    let refresher = TokenRefresher(session, in: InMemorySessionStore([session]), client: plain)
    let parameters = App.Bsky.Actor.GetProfile.Parameters(actor: .did(Accounts.did(1)))
    let call = await #expect(throws: XRPCError.self) {
      try await plain.signed(by: refresher).query(App.Bsky.Actor.GetProfile.self, parameters)
    }
    #expect(call?.code == .notSignedIn)
    #expect(call.map { RelationshipError($0).code } == .clientNotConfigured)
  }

  @Test func distinguishesAnInvalidRequestFromANetworkError() async throws {
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: ScriptedTransport([]),
      time: ManualClock(.skipping).timeSource())
    let tooMany = App.Bsky.Actor.GetProfiles.Parameters(actors: Accounts.dids(0..<26).map(ATIdentifier.did))
    let call = await #expect(throws: XRPCError.self) {
      try await client.query(App.Bsky.Actor.GetProfiles.self, tooMany)
    }
    #expect(call?.code == .invalidRequest)
    #expect(call.map { RelationshipError($0).code } == .refused)
  }

  @Test func reportsHowLongTheServerAsksToWait() async throws {
    let fields = HTTPFields(named: ["Retry-After": "60"])
    let call = try await failure([.success(.xrpcError(429, "RateLimitExceeded", "x", fields: fields))])
    #expect(RelationshipError(call).retryAfter == .seconds(60))
  }

  @Test func distinguishesAnInvalidAnswerFromNone() async throws {
    #expect(
      RelationshipError(try await failure([.success(TransportResponse("{}"))])).code == .invalidResponse)
    let lost = TransportError(.connectionLost, host: "appview.test")
    #expect(RelationshipError(try await failure([.failure(lost)])).code == .networkError)
  }

  @Test func classifiesTheFailuresOfIdentities() async throws {
    func code(_ code: IdentityError.Code, _ underlying: (any Error)? = nil) -> RelationshipError {
      RelationshipError(
        IdentityError(code, subject: Accounts.handle(1), detail: "why", underlying: underlying))
    }
    let refused = try await failure([.success(.xrpcError(400, "InvalidRequest", "Unable to resolve handle"))])
    #expect(code(.notFound, refused).code == .actorNotFound)
    #expect(code(.unsupportedMethod).code == .invalidInput)
    #expect(code(.malformedDocument).code == .invalidResponse)
    #expect(code(.unavailable).code == .networkError)
    let limited = try await failure([.success(.xrpcError(429, "RateLimitExceeded", "x"))])
    #expect(code(.unavailable, limited).code == .rateLimited)
    #expect(code(.unavailable, limited).subject == "user1.test")
  }

  @Test func wrapsEverythingButACancellation() {
    #expect(RelationshipError.wrapping(CancellationError()) == nil)
    #expect(RelationshipError.wrapping(RelationshipError.invalidResponse) == .invalidResponse)
    #expect(RelationshipError.wrapping(TransportError(.timedOut, host: "h.test"))?.code == .networkError)
  }
}
