// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct SessionDirectoryTests {
  private let store = InMemorySessionStore()
  private let alice = Accounts.did(1)
  private let handle = Handle.public
  private let texts = ScriptedTextRecords(["_atproto.\(Handle.public)": ["did=\(Accounts.did(1))"]])

  /// An AppView, a PLC directory and a PDS whose sign-in response is set by the test.
  private func network(
    pds: String = "https://pds.test", claims: String? = nil,
    signIn: @escaping @Sendable (String) -> TransportResponse
  ) -> ScriptedTransport {
    ScriptedTransport { [alice, handle] request in
      let method = RequestQuery(request).method
      switch request.head.authority {
      case "resolver.test", "127.0.0.1": return TransportResponse(#"{"did":"\#(alice)"}"#)
      case "appview.test":
        return TransportResponse(
          #"{"did":"\#(alice)","profiles":[{"did":"\#(alice)","handle":"\#(handle)"}]}"#)
      case handle.description: return TransportResponse(status: 404)
      case "plc.test", "plc.directory":
        return TransportResponse(
          ##"{"id":"\##(alice)","alsoKnownAs":["at://\##(claims ?? handle.description)"],"service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"\##(pds)"}]}"##
        )
      default:
        return method == "com.atproto.server.createSession"
          ? signIn(String(decoding: request.body ?? [], as: UTF8.self))
          : .xrpcError(501, "MethodNotImplemented", method)
      }
    }
  }

  private func directory(
    _ transport: ScriptedTransport, named: [String] = [], texts: ScriptedTextRecords? = nil,
    plc: String = "https://plc.test", resolver: String? = nil
  ) throws -> SessionDirectory {
    let clock = ManualClock(.skipping)
    let appview = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: clock.timeSource())
    let hosts = TrustedHosts(try named.map { try ServiceURL(parsing: $0) })
    return SessionDirectory(
      store: store,
      identities: IdentityDirectory(
        handles: HandleResolver(client: appview),
        documents: DIDResolver(
          plc: try ServiceURL(parsing: plc), named: hosts, transport: transport, retry: .never,
          time: clock.timeSource()),
        verifier: HandleVerifier(
          texts: texts ?? self.texts, transport: transport,
          resolver: try resolver.map {
            XRPCClient(
              service: try ServiceURL(parsing: $0), transport: transport,
              configuration: XRPCClient.Configuration(retry: .never), time: clock.timeSource())
          }, named: hosts, time: clock.timeSource()),
        time: clock.timeSource()),
      named: hosts, client: appview)
  }

  private func tokens(of did: DID) -> TransportResponse {
    TransportResponse(#"{"accessJwt":"a.b.c","refreshJwt":"d.e.f","handle":"\#(handle)","did":"\#(did)"}"#)
  }

  private func password() throws -> Password { try #require(Password("open sesame")) }

  private func fault(_ body: () async throws -> some Any) async -> SessionError? {
    do {
      _ = try await body()
      return nil
    } catch { return error as? SessionError }
  }

  @Test func signsInAtThePDSOfTheDocumentAndRemembersIt() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let session = try await directory(transport).signIn(.handle(handle), password: password())
    #expect(session.did == alice && session.handle == handle && !session.pdsIsUserSpecified)
    #expect(session.pds.description == "https://pds.test")
    #expect(await store.session(of: alice) == session)
    #expect(await store.current() == alice)
    let request = try #require(transport.requests.last)
    #expect(request.head.authority == "pds.test")
    #expect(request.reach == .publicOnly)
    #expect(request.redirects == .refuse)
  }

  /// Who is on the way to a directory or resolver without TLS would decide where the password goes.
  @Test(arguments: [("http://plc.test", nil), ("https://plc.test", "http://resolver.test")])
  func plainHTTPDoesNotDecideWhereThePasswordGoes(plc: String, resolver: String?) async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let texts = resolver == nil ? nil : ScriptedTextRecords([:])
    let directory = try directory(
      transport, named: [plc, resolver].compactMap(\.self), texts: texts, plc: plc, resolver: resolver)
    let error = await fault { try await directory.target(of: .handle(handle)) }
    #expect(error?.code == .plainText && error?.subject == resolver ?? plc)
    let place = try await directory.target(of: .handle(handle), allowsPlainText: true)
    #expect(place.pds.description == "https://pds.test")
    #expect(transport.calls(of: "com.atproto.server.createSession") == 0)
  }

  /// The session would act under a handle that others on the network chose.
  @Test func plainHTTPDoesNotDecideTheHandleOfASession() async throws {
    let transport = network(claims: "mallory.test") { [alice] _ in tokens(of: alice) }
    let directory = try directory(
      transport, named: ["http://plc.test", "https://pds.test"], plc: "http://plc.test")
    let session = try await directory.signIn(
      .did(alice), password: password(), at: ServiceURL(parsing: "https://pds.test"))
    #expect(session.handle == handle)
    #expect(!transport.requests.contains { $0.head.authority == "plc.test" })
  }

  @Test func namesTheDirectoryThatNamesTheServer() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    #expect(
      try await directory(transport).target(of: .did(alice)).directory?.description == "https://plc.test")
    let standard = try directory(transport, plc: "\(ServiceURL.publicPLC)")
    #expect(try await standard.target(of: .did(alice)).directory == nil)
  }

  @Test func aResolverOfThisMachineNeedsNoTLS() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let directory = try directory(
      transport, named: ["http://127.0.0.1"], texts: ScriptedTextRecords([:]), resolver: "http://127.0.0.1")
    #expect(try await directory.target(of: .handle(handle)).did == alice)
  }

  @Test func takesNoSessionOfAnotherAccount() async throws {
    let transport = network { _ in tokens(of: Accounts.did(2)) }
    let error = await fault { try await directory(transport).signIn(.handle(handle), password: password()) }
    #expect(error?.code == .wrongAnswer)
    #expect(await store.accounts().isEmpty)
  }

  @Test func sendsNoPasswordIfTheDocumentClaimsAnotherHandle() async throws {
    let transport = network(claims: "mallory.test") { [alice] _ in tokens(of: alice) }
    await #expect(throws: IdentityError.self) {
      try await directory(transport).signIn(.handle(handle), password: password())
    }
    #expect(transport.calls(of: "com.atproto.server.createSession") == 0)
  }

  /// The operator of the AppView registers an account whose document claims the handle, and returns it.
  @Test func sendsNoPasswordIfTheAppViewNamesAnAccountThatClaimsTheHandle() async throws {
    for records in [[:], ["_atproto.\(handle)": ["did=\(Accounts.did(7))"]]] {
      let transport = network { [alice] _ in tokens(of: alice) }
      let directory = try directory(transport, texts: ScriptedTextRecords(records))
      await #expect(throws: (any Error).self) {
        try await directory.signIn(.handle(handle), password: password())
      }
      #expect(transport.calls(of: "com.atproto.server.createSession") == 0)
      #expect(!transport.requests.contains { $0.head.authority == "appview.test" })
    }
  }

  @Test func refusesAHandleThatCannotBeVerified() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let directory = try directory(transport, texts: ScriptedTextRecords())
    let error = await fault { try await directory.target(of: .handle(handle)) }
    #expect(error?.code == .unverifiedHandle)
    #expect(error?.account == .handle(handle))
    let place = try await directory.target(of: .handle(handle), at: ServiceURL(parsing: "https://mine.test"))
    #expect(place.isNamed && place.pds.description == "https://mine.test")
    #expect(try await directory.target(of: .did(alice)).pds.description == "https://pds.test")
  }

  @Test func showsThePlaceBeforeAnythingSecretIsSent() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let place = try await directory(transport).target(of: .handle(handle))
    #expect(place.did == alice && place.verifiedBy == [.dns] && !place.isNamed)
    #expect(place.pds.description == "https://pds.test")
    #expect(transport.calls(of: "com.atproto.server.createSession") == 0)
  }

  /// Before the password is asked for; the transport refuses such addresses only when it is sent.
  @Test(arguments: [
    "https://10.0.0.1", "https://192.168.1.1", "https://127.0.0.1", "https://[::1]", "https://[fd00::1]",
    "https://2130706433", "https://0x7f000001", "https://127.1", "https://169.254.169.254", "https://8.8.8.8",
  ])
  func findsNoPlaceAtAnAddressThatTheUserDidNotName(pds: String) async throws {
    let transport = network(pds: pds) { [alice] _ in tokens(of: alice) }
    let error = await #expect(throws: IdentityError.self) {
      try await directory(transport).target(of: .did(alice))
    }
    #expect(error?.code == .malformedDocument)
    if let url = ServiceURL(pds) {
      let named = try directory(transport, named: [pds])
      #expect(try await named.target(of: .did(alice)).pds == url)
    }
  }

  @Test func asksNoStrangePortForASession() async throws {
    let transport = network(pds: "https://pds.test:8443") { [alice] _ in tokens(of: alice) }
    await #expect(throws: IdentityError.self) { try await directory(transport).target(of: .did(alice)) }
    let named = try directory(transport, named: ["https://pds.test:8443"])
    #expect(try await named.signIn(.did(alice), password: password()).pdsIsUserSpecified)
  }

  @Test func sendsNoPasswordInTheClear() async throws {
    let transport = network(pds: "http://pds.test") { [alice] _ in tokens(of: alice) }
    await #expect(throws: IdentityError.self) {
      try await directory(transport).signIn(.did(alice), password: password())
    }
    #expect(transport.calls(of: "com.atproto.server.createSession") == 0)
    let named = try directory(transport, named: ["http://pds.test"])
    #expect(await fault { try await named.signIn(.did(alice), password: password()) }?.code == .plainText)
    let chosen = try ServiceURL(parsing: "http://pds.test")
    let error = await fault { try await named.signIn(.did(alice), password: password(), at: chosen) }
    #expect(error?.code == .plainText)
    #expect(transport.calls(of: "com.atproto.server.createSession") == 0)
    let session = try await named.signIn(.did(alice), password: password(), allowsPlainText: true)
    #expect(session.pdsIsUserSpecified && session.reach == .anywhere && session.allowsPlainText)
    #expect(await store.session(of: alice)?.allowsPlainText == true)
  }

  @Test func sendsNoTokenInTheClearUnlessThatWasAllowed() async throws {
    let transport = network(pds: "http://pds.test") { [alice] _ in tokens(of: alice) }
    let directory = try directory(transport, named: ["http://pds.test"])
    var session = try await directory.signIn(.did(alice), password: password(), allowsPlainText: true)
    #expect(try await directory.refresher(of: session).token() == session.accessToken)
    session.allowsPlainText = false
    let refresher = directory.refresher(of: session)
    #expect(await fault { try await refresher.token() }?.code == .plainText)
  }

  // MARK: The handle of a session

  @Test func keepsTheHandleThatIsProvenAndWhatTheServerSaysBesideIt() async throws {
    let transport = network { [alice] _ in
      TransportResponse(
        #"{"accessJwt":"a.b.c","refreshJwt":"d.e.f","handle":"mod.example.org","did":"\#(alice)"}"#)
    }
    let chosen = try ServiceURL(parsing: "https://pds.test")
    for account in [ATIdentifier.handle(handle), .did(alice)] {
      let session = try await directory(transport).signIn(account, password: password(), at: chosen)
      #expect(session.handle == handle)
      #expect(session.serverHandle?.description == "mod.example.org")
    }
  }

  /// The operator of a small server can make its accounts' documents claim any handle.
  @Test func keepsNoHandleThatLeadsToAnotherAccount() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let texts = ScriptedTextRecords(["_atproto.\(handle)": ["did=\(Accounts.did(7))"]])
    let session = try await directory(transport, texts: texts).signIn(.did(alice), password: password())
    #expect(session.handle.isInvalid)
    #expect(session.serverHandle == handle)
  }

  @Test func keepsAHandleThatCannotBeVerifiedNow() async throws {
    let transport = network { [alice] _ in tokens(of: alice) }
    let texts = ScriptedTextRecords { throw TransportError(.timedOut, host: $0) }
    let session = try await directory(transport, texts: texts).signIn(.did(alice), password: password())
    #expect(session.handle == handle && session.serverHandle == nil)
  }

  @Test func aHandleOfTwoSessionsNamesNeither() async throws {
    var other = try #require(SessionServerDouble(account: 2) { 0 }.session())
    other.handle = Accounts.handle(1)
    try await store.save(try #require(SessionServerDouble(account: 1) { 0 }.session()))
    try await store.save(other)
    let directory = try directory(network { _ in TransportResponse() })
    let error = await fault { try await directory.session(of: .handle(Accounts.handle(1))) }
    #expect(error?.code == .ambiguousHandle)
    #expect(error?.detail.contains("\(alice)") == true && error?.detail.contains("\(other.did)") == true)
    #expect(try await directory.session(of: .did(other.did)) == other)
  }

  @Test func asksForTheSecondFactorAndSendsIt() async throws {
    let transport = network { [alice] body in
      body.contains(#""authFactorToken":"AB-12""#)
        ? tokens(of: alice) : .xrpcError(401, "AuthFactorTokenRequired", "A code was sent by mail")
    }
    let directory = try directory(transport)
    let error = await fault { try await directory.signIn(.handle(handle), password: password()) }
    #expect(error?.code == .secondFactorRequired)
    let session = try await directory.signIn(.handle(handle), password: password(), authFactorToken: "AB-12")
    #expect(session.did == alice)
  }

  @Test(
    arguments: [
      (401, "AuthenticationRequired", SessionError.Code.refused), (400, "InvalidRequest", .refused),
      (429, "RateLimitExceeded", .unavailable), (503, "Down", .unavailable),
    ])
  func distinguishesARefusalFromAnOutage(status: Int, name: String, code: SessionError.Code) async throws {
    let transport = network { _ in .xrpcError(status, name, "open sesame is not right") }
    let error = try #require(
      await fault { try await directory(transport).signIn(.handle(handle), password: password()) })
    #expect(error.code == code)
    var words = "\(error)"
    dump(error, to: &words)
    #expect(!words.contains("open sesame"))
  }

  @Test func findsSessionsByHandleByDIDAndTheOnlyOne() async throws {
    let directory = try directory(network { _ in TransportResponse() })
    let one = try #require(SessionServerDouble(account: 1) { 0 }.session())
    let two = try #require(SessionServerDouble(account: 2) { 0 }.session())
    #expect(await fault { try await directory.session(of: nil) }?.code == .notSignedIn)
    try await store.save(one)
    #expect(try await directory.session(of: nil) == one)
    try await store.save(two)
    #expect(await fault { try await directory.session(of: nil) }?.code == .noneChosen)
    #expect(try await directory.session(of: .handle(Accounts.handle(2))) == two)
    #expect(try await directory.session(of: .did(one.did)) == one)
    await store.setCurrent(two.did)
    #expect(try await directory.session(of: nil) == two)
    let error = await fault { try await directory.session(of: .handle(Accounts.handle(3))) }
    #expect(error?.code == .notSignedIn)
    #expect(error?.account == .handle(Accounts.handle(3)))
  }

  @Test func signsOutWithTheRefreshToken() async throws {
    let server = SessionServerDouble(account: 1) { 0 }
    let session = try #require(server.session())
    try await store.save(session)
    await store.setCurrent(alice)
    let transport = ScriptedTransport { _ in TransportResponse() }
    let outcome = try await directory(transport).signOut(alice)
    guard case .revoked = outcome else { throw Surprise(outcome) }
    #expect(
      transport.requests.last?.head.headerFields[.authorization] == "Bearer \(session.refreshToken.secret)")
    #expect(await store.accounts().isEmpty)
    #expect(await store.current() == nil)
  }

  @Test func forgetsASessionWhoseServerIsGone() async throws {
    try await store.save(try #require(SessionServerDouble(account: 1) { 0 }.session()))
    let transport = ScriptedTransport { _ in throw TransportError(.cannotConnect, host: "pds.test") }
    let outcome = try await directory(transport).signOut(alice)
    guard case .notRevoked = outcome else { throw Surprise(outcome) }
    #expect(await store.accounts().isEmpty)
  }

  private struct Surprise: Error {
    let outcome: SessionDirectory.SignOut

    init(_ outcome: SessionDirectory.SignOut) { self.outcome = outcome }
  }
}

extension Handle {
  /// A handle that could be in the public DNS.
  fileprivate static let `public` = Handle("user1.example.com") ?? .invalid
}
