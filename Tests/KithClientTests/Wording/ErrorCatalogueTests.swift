// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithLexicons
import TestSupport
import Testing

@testable import KithClient
@testable import KithCore

/// The sentences of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  private let clock = ManualClock(.skipping)

  @Test func holdsEverySentence() async throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    addTransport(to: &catalogue)
    addRedirects(to: &catalogue)
    addServices(to: &catalogue)
    try await addCalls(to: &catalogue)
    try await addIdentities(to: &catalogue)
    try await addSessions(to: &catalogue)
    try await addFolders(to: &catalogue)
    try await addSignIns(to: &catalogue)
    try await addPages(to: &catalogue)
    try await addStreams(to: &catalogue)
    addSentences(to: &catalogue)
    #expect(try catalogue.differences() == [])
    #expect(
      Set(
        XRPCError.Code.all.map { "xrpc.\($0)" } + IdentityError.Code.all.map { "identity.\($0)" }
          + SessionError.Code.all.map { "session.\($0)" } + StreamError.Code.all.map { "stream.\($0)" }
      ).subtracting(catalogue.codes) == [])
    let literals = try SourceLiterals(
      of: "KithClient", after: ["detail:", "message:", "fault(", "Fault(", ".ended(stored,", ", reason:"])
    #expect(literals.all.count > 30)
    // A resolver returns a result for each requested handle, so this one cannot occur.
    #expect(catalogue.lacks(literals) == ["the resolver returned no result"])
  }

  /// What apps show.
  private func addSentences(to catalogue: inout WordingCatalogue) {
    let method = NSID(generated: "com.example.method")
    func add(_ error: some CodedError) {
      catalogue.add("\(type(of: error).domain).\(error.code) in an app", error.errorDescription ?? "")
    }
    for code in TransportError.Code.all { add(TransportError(code, host: "a.test")) }
    for code in XRPCError.Code.all {
      add(XRPCError(code, method: method, service: "https://a.test", message: "x"))
    }
    for code in IdentityError.Code.all { add(IdentityError(code, subject: "a.test", detail: "x")) }
    for code in SessionError.Code.all { add(SessionError(code, subject: "a.test", detail: "x")) }
    for code in StreamError.Code.all { add(StreamError(code, host: "a.test")) }
  }

  // MARK: Streams

  private func addStreams(to catalogue: inout WordingCatalogue) async throws {
    for code in StreamError.Code.all { catalogue.add("stream.\(code)", StreamError(code, host: "a.test")) }
    let refusal = Array(#"{"error":"InvalidRequest","message":"unknown kind"}"#.utf8)
    for (status, body) in [(503, refusal), (503, []), (404, []), (403, []), (400, refusal)]
      as [(Int, [UInt8])]
    {
      let answer = TransportResponse(head: HTTPResponse(status: .init(code: status)), body: body)
      await addStream({ _, _ in .refused(answer) }, to: &catalogue)
    }
    for error in [
      #"{"$type":"error","error":"ConsumerTooSlow","message":"cursor=2"}"#, #"{"$type":"error","error":"X"}"#,
    ] {
      await addStream(
        { _, limits in .scripted(limits: limits) { try await $0.send(.text(error)) } }, to: &catalogue)
    }
    await addStream(nil, to: &catalogue)
  }

  /// Adds how a stream is interrupted, or ends.
  private func addStream(
    _ open: (@Sendable (TransportRequest, WebSocketLimits) async throws -> WebSocketAnswer)?,
    to catalogue: inout WordingCatalogue
  ) async {
    let transport =
      open.map { open in ScriptedTransport(webSockets: open) { _ in .json("{}") } }
      ?? ScriptedTransport { _ in .json("{}") }
    let still = ManualClock()
    let stream = Jetstream(
      JetstreamFilter(), host: ServiceURL(knownHost: "a.test"), transport: transport, time: still.timeSource()
    )
    do {
      for try await element in stream.elements(after: nil) {
        guard case .disconnected(let error, _) = element else { continue }
        if let error = error as? any CodedError {
          catalogue.add("\(type(of: error).domain).\(error.code)", error)
        }
        break
      }
    } catch {
      if let error = error as? any CodedError {
        catalogue.add("\(type(of: error).domain).\(error.code)", error)
      }
    }
  }

  // MARK: Transport

  private func addTransport(to catalogue: inout WordingCatalogue) {
    for code in TransportError.Code.all {
      catalogue.add("transport.\(code)", TransportError(code, host: "pds.test"))
    }
    let error = TransportError(.timedOut, host: "pds.test", detail: "no byte for 30 s")
    catalogue.add("transport.timedOut", error)
    for capabilities: TransportCapabilities in [[], .connectedAddress, .headLimit] {
      let request = TransportRequest(
        head: HTTPRequest(method: .get, scheme: "https", authority: "a.test", path: "/"), reach: .publicOnly)
      let error = #expect(throws: TransportError.self) { try request.check(capabilities) }
      if let error { catalogue.add("transport.\(error.code)", error) }
    }
    for refusal in [
      TrafficRefusal.rateLimited(wait: .seconds(90)),
      .resting(cause: .transport(error), ago: .seconds(2), wait: .seconds(12)),
      .resting(cause: .status(503), ago: .seconds(2), wait: .seconds(4_000)),
    ] { catalogue.add("traffic", refusal.words) }
  }

  private func addPages(to catalogue: inout WordingCatalogue) async throws {
    let address = try URI(parsing: "http://a.test/x")
    let error = await #expect(throws: TransportError.self) {
      _ = try await PageBeginning(at: address, most: 1, over: ScriptedTransport([]))
    }
    if let error { catalogue.add("transport.\(error.code)", error) }
  }

  private func addRedirects(to catalogue: inout WordingCatalogue) {
    let cases: [(scheme: String, method: HTTPRequest.Method, location: String, most: Int)] = [
      ("https", .get, "/to", 0), ("https", .get, "mailto:alice", 3), ("https", .get, "http://b.test/", 3),
      ("https", .put, "https://b.test/", 3),
    ]
    for (scheme, method, location, most) in cases {
      var request = TransportRequest(
        head: HTTPRequest(method: method, scheme: scheme, authority: "a.test", path: "/from"))
      request.redirects = .follow(most: most)
      if method == .put { request.body = Array("{}".utf8) }
      var redirect = Redirect(request) { location, _ in Self.target(location) }
      let answer = HTTPResponse(status: .temporaryRedirect, headerFields: [.location: location])
      let error = #expect(throws: TransportError.self) { try redirect.next(after: request, answer) }
      if let error { catalogue.add("transport.\(error.code)", error) }
    }
  }

  private static func target(_ location: String) -> Redirect.Target? {
    ServiceURL(location).map { Redirect.Target(scheme: $0.scheme, authority: $0.authority, path: "/") }
  }

  private func addServices(to catalogue: inout WordingCatalogue) {
    for text in [
      "pds.test", "ftp://pds.test", "https://me@pds.test", "https://a.test?b", "https://a.test/ b",
      "https://a.test:x",
    ] {
      let fault = #expect(throws: ServiceURL.Fault.self, "\(text)") { try ServiceURL(parsing: text) }
      if let fault { catalogue.add("service", fault) }
    }
  }

  // MARK: Calls

  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      configuration: .init(retry: .never), time: clock.timeSource())
  }

  private func addCalls(to catalogue: inout WordingCatalogue) async throws {
    typealias Method = App.Bsky.Actor.GetProfile
    let moved = TransportResponse(
      status: 301, fields: HTTPFields(named: ["Location": "https://elsewhere.test/"]))
    let answers: [Result<TransportResponse, any Error>] = [
      .success(.xrpcError(400, "InvalidRequest", "Profile not found")),
      .success(TransportResponse(status: 404)),
      .success(moved), .success(.xrpcError(429, "RateLimitExceeded", "slow down")),
      .success(TransportResponse(status: 503)), .success(TransportResponse("{}")),
      .success(TransportResponse("{")), .failure(TransportError(.connectionLost, host: "pds.test")),
    ]
    for answer in answers {
      let error = await #expect(throws: XRPCError.self) {
        try await client(ScriptedTransport([answer])).query(Method.self, .init(actor: .did(Accounts.did(1))))
      }
      if let error { catalogue.add("xrpc.\(error.code)", error) }
    }
    let tooMany = App.Bsky.Actor.GetProfiles.Parameters(actors: Accounts.dids(0..<26).map(ATIdentifier.did))
    let invalid = await #expect(throws: XRPCError.self) {
      try await client(ScriptedTransport([])).query(App.Bsky.Actor.GetProfiles.self, tooMany)
    }
    if let invalid { catalogue.add("xrpc.\(invalid.code)", invalid) }
    for (service, account) in [("https://pds.test", 1), ("https://other.test", 1)] {
      let refresher = NoSession(
        service: try ServiceURL(parsing: service), error: .notSignedIn(.did(Accounts.did(account))))
      let error = await #expect(throws: XRPCError.self) {
        try await client(ScriptedTransport([])).signed(by: refresher).query(
          Method.self, .init(actor: .did(Accounts.did(1))))
      }
      if let error { catalogue.add("xrpc.\(error.code)", error) }
    }
  }

  /// Credentials that cannot be obtained.
  private struct NoSession: CredentialSource {
    let service: ServiceURL
    let error: SessionError

    func token() throws -> SessionToken { throw error }
    func token(after refused: SessionToken, isExpired: Bool) throws -> SessionToken { throw error }
  }

  // MARK: Identities

  private func addIdentities(to catalogue: inout WordingCatalogue) async throws {
    let did = Accounts.did(1)
    let answers: [TransportResponse] = [
      .absence(of: did), .absence(of: did, status: 410), TransportResponse(status: 404, "<html>"),
      TransportResponse(status: 429), TransportResponse(status: 500), TransportResponse("{}"),
      TransportResponse("{"),
      TransportResponse(#"{"id":"\#(Accounts.did(2))"}"#),
    ]
    for answer in answers { await addDocument(did, .success(answer), to: &catalogue) }
    let lost = TransportError(.connectionLost, host: "plc.test")
    await addDocument(did, .failure(lost), to: &catalogue)
    for text in ["did:web:a.test:users:b", "did:key:zabc"] {
      await addDocument(try DID(parsing: text), .failure(lost), to: &catalogue)
    }
    for answer in [
      TransportResponse.xrpcError(400, "InvalidRequest", "Unable to resolve handle"),
      .xrpcError(429, "RateLimitExceeded", "slow down"), .xrpcError(503, "Down", "down"),
    ] {
      let appview = try client(ScriptedTransport { _ in answer })
      let outcome = try await HandleResolver(client: appview).dids(of: [Accounts.handle(1)])
      if case .failure(let error)? = outcome[Accounts.handle(1)] {
        catalogue.add("identity.\(error.code)", error)
      }
    }
    let appview = try client(ScriptedTransport([]))
    let directory = IdentityDirectory(
      handles: HandleResolver(client: appview), documents: try documents(ScriptedTransport([])))
    let error = await #expect(throws: IdentityError.self) { try await directory.did(of: .handle(.invalid)) }
    if let error { catalogue.add("identity.\(error.code)", error) }
    try await addProofs(to: &catalogue)
  }

  /// The outcomes for handles that cannot be verified.
  private func addProofs(to catalogue: inout WordingCatalogue) async throws {
    let (one, other) = (Accounts.did(1), Accounts.did(2))
    let down = TransportError(.timedOut, host: "_atproto.a.example.com")
    let cases: [(dns: Result<[String], TransportError>, web: TransportResponse, name: String)] = [
      (.success([]), TransportResponse(status: 404), "a.example.com"),
      (.success(["did=x"]), TransportResponse("<html>"), "a.example.com"),
      (.success(["did=\(one)", "did=\(other)"]), TransportResponse(status: 404), "a.example.com"),
      (.success(["did=\(one)"]), TransportResponse("\(other)"), "a.example.com"),
      (.failure(down), TransportResponse(status: 503), "a.example.com"),
      (.success([]), TransportResponse(status: 503), "a.example.com"),
      (.success([]), TransportResponse(status: 429), "a.example.com"),
      (.success([]), TransportResponse(), "a.local"),
    ]
    for (dns, web, name) in cases {
      let verifier = HandleVerifier(
        texts: ScriptedTextRecords { _ in try dns.get() }, transport: ScriptedTransport { _ in web },
        named: TrustedHosts([]), time: clock.timeSource())
      let proof = try await verifier.proof(of: Handle(parsing: name), asking: .all)
      for case .failure(let error)? in HandleSource.allCases.map({ proof.answers[$0] }) + [proof.owner] {
        catalogue.add("identity.\(error.code)", error)
      }
    }
    let silent = ScriptedTransport { _ in throw TransportError(.forbiddenAddress, host: "a.example.com") }
    let unknown = ScriptedTransport { _ in TransportResponse(#"{"did":"did:key:zabc"}"#) }
    for (transport, resolver) in [(silent, nil), (unknown, try client(unknown))] {
      let verifier = HandleVerifier(
        texts: nil, transport: transport, resolver: resolver, named: TrustedHosts([]),
        time: clock.timeSource())
      let proof = try await verifier.proof(of: Handle(parsing: "a.example.com"), asking: .all)
      if case .failure(let error) = proof.owner { catalogue.add("identity.\(error.code)", error) }
      if case .failure(let error)? = proof.answers[.resolver] {
        catalogue.add("identity.\(error.code)", error)
      }
    }
    let trusting = SessionDirectory(
      store: InMemorySessionStore(),
      identities: IdentityDirectory(
        handles: HandleResolver(client: try client(silent)), documents: try documents(silent)),
      named: TrustedHosts([]), client: try client(silent))
    let unasked = await #expect(throws: SessionError.self) {
      try await trusting.target(of: .handle(Handle(parsing: "b.example.com")))
    }
    if let unasked { catalogue.add("session.\(unasked.code)", unasked) }
    let directory = try directory(
      InMemorySessionStore(), ScriptedTransport { _ in TransportResponse(status: 404) })
    let error = await #expect(throws: SessionError.self) {
      try await directory.target(of: .handle(Handle(parsing: "b.example.com")))
    }
    if let error { catalogue.add("session.\(error.code)", error) }
  }

  private func documents(_ transport: ScriptedTransport) throws -> DIDResolver {
    DIDResolver(
      plc: try ServiceURL(parsing: "https://plc.test"), named: TrustedHosts([]), transport: transport,
      retry: .never, time: clock.timeSource())
  }

  private func addDocument(
    _ did: DID, _ answer: Result<TransportResponse, any Error>, to catalogue: inout WordingCatalogue
  ) async {
    let error = await #expect(throws: IdentityError.self) {
      try await documents(ScriptedTransport([answer])).document(of: did)
    }
    if let error { catalogue.add("identity.\(error.code)", error) }
  }

  // MARK: Sessions

  private func session(_ number: Int = 1) throws -> Session {
    let token = try #require(SessionToken("a.b.c"))
    return Session(
      did: Accounts.did(number), handle: Accounts.handle(number),
      pds: try ServiceURL(parsing: "https://pds.test"),
      pdsIsUserSpecified: true, accessToken: token, refreshToken: token, receivedAt: 0)
  }

  private func addSessions(to catalogue: inout WordingCatalogue) async throws {
    let session = try session()
    var refresh = SessionRefresh(of: session.did, refused: session.accessToken, margin: .zero)
    func add(_ action: SessionRefresh.Action) {
      if case .fail(let error) = action { catalogue.add("session.\(error.code)", error) }
    }
    add(refresh.read(nil, at: 0))
    _ = refresh.read(session, at: 0)
    add(refresh.exchanged(.renewed(try self.session(2))))
    let refusal = await #expect(throws: XRPCError.self) {
      try await client(ScriptedTransport { _ in .xrpcError(400, "ExpiredToken", "gone") }).query(
        App.Bsky.Actor.GetProfile.self, .init(actor: .did(Accounts.did(1))))
    }
    if let refusal {
      add(refresh.exchanged(.failed(refusal)))
      _ = refresh.exchanged(.refused(refusal))
      add(refresh.read(session, at: 0))
    }
    let twins = try [1, 2].map { number in
      var session = try self.session(number)
      session.handle = Accounts.handle(1)
      return session
    }
    let ambiguity = await #expect(throws: SessionError.self) {
      try await directory(InMemorySessionStore(twins), ScriptedTransport([])).did(
        of: .handle(Accounts.handle(1)))
    }
    if let ambiguity { catalogue.add("session.\(ambiguity.code)", ambiguity) }
    let plain = await #expect(throws: SessionError.self) {
      try await directory(InMemorySessionStore(), ScriptedTransport([])).target(
        of: .did(Accounts.did(1)), at: ServiceURL(parsing: "http://pds.test"))
    }
    if let plain { catalogue.add("session.\(plain.code)", plain) }
    let decision = SessionError.plainDecision(try ServiceURL(parsing: "http://plc.test"))
    catalogue.add("session.\(decision.code)", decision)
    for accounts in [[], [1, 2]] {
      let store = InMemorySessionStore(try accounts.map { try self.session($0) })
      let error = await #expect(throws: SessionError.self) {
        try await directory(store, ScriptedTransport([])).did(of: nil)
      }
      if let error { catalogue.add("session.\(error.code)", error) }
    }
    let other = ScriptedTransport { _ in
      TransportResponse(#"{"did":"\#(Accounts.did(2))","handle":"b.test"}"#)
    }
    let error = await #expect(throws: SessionError.self) {
      try await directory(InMemorySessionStore([session]), other).confirmed(session)
    }
    if let error { catalogue.add("session.\(error.code)", error) }
  }

  private func directory(
    _ store: InMemorySessionStore, _ transport: ScriptedTransport
  ) throws -> SessionDirectory {
    let client = try client(transport)
    return SessionDirectory(
      store: store,
      identities: IdentityDirectory(
        handles: HandleResolver(client: client), documents: try documents(transport),
        verifier: HandleVerifier(
          texts: ScriptedTextRecords { $0.contains("user1.") ? ["did=\(Accounts.did(1))"] : [] },
          transport: transport, named: TrustedHosts([]), time: clock.timeSource())),
      named: TrustedHosts([]), client: client)
  }

  /// Signs in at a server with this response, if the account's document names it.
  private func addSignIns(to catalogue: inout WordingCatalogue) async throws {
    let alice = Accounts.did(1)
    let handle = try Handle(parsing: "user1.example.com")
    func session(_ did: DID, _ token: String = "a.b.c") -> TransportResponse {
      TransportResponse(
        #"{"accessJwt":"\#(token)","refreshJwt":"d.e.f","handle":"\#(handle)","did":"\#(did)"}"#)
    }
    let cases: [(pds: String?, claim: String, answer: TransportResponse)] = [
      (nil, handle.description, session(alice)), ("http://pds.test", handle.description, session(alice)),
      ("https://10.0.0.1", handle.description, session(alice)),
      ("https://pds.test", "mallory.test", session(alice)),
      ("https://pds.test", handle.description, session(Accounts.did(2))),
      ("https://pds.test", handle.description, session(alice, "two words")),
      (
        "https://pds.test", handle.description,
        .xrpcError(401, "AuthFactorTokenRequired", "A sign in code has been sent")
      ),
      (
        "https://pds.test", handle.description,
        .xrpcError(401, "AuthenticationRequired", "Invalid identifier or password")
      ),
      ("https://pds.test", handle.description, .xrpcError(503, "Down", "down")),
    ]
    for (pds, claim, answer) in cases {
      let service = pds.map {
        ##"{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"\##($0)"}"##
      }
      let transport = ScriptedTransport { request in
        if request.head.authority == "plc.test" {
          return TransportResponse(
            #"{"id":"\#(alice)","alsoKnownAs":["at://\#(claim)"],"service":[\#(service ?? "")]}"#)
        }
        if RequestQuery(request).method == "com.atproto.server.createSession" { return answer }
        if request.head.authority == handle.description { return TransportResponse(status: 404) }
        return TransportResponse(
          #"{"did":"\#(alice)","profiles":[{"did":"\#(alice)","handle":"\#(handle)"}]}"#)
      }
      let password = try #require(Password("open-sesame"))
      do {
        _ = try await directory(InMemorySessionStore(), transport).signIn(.handle(handle), password: password)
        Issue.record("signed in: \(claim)")
      } catch let error as SessionError {
        catalogue.add("session.\(error.code)", error)
      } catch let error as IdentityError {
        catalogue.add("identity.\(error.code)", error)
      }
    }
  }

  // MARK: Files

  /// The outcomes for a damaged session file; the sentences name a folder that differs from run to run.
  private func addFolders(to catalogue: inout WordingCatalogue) async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "kith-wording-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let path = root.appending(path: "sessions").path()
    let store = SessionFolder(path: path)
    let did = Accounts.did(1)
    let file = "\(path)/\(did).json"
    func add(_ body: () throws -> Void) {
      let error = #expect(throws: SessionError.self) { try body() }
      guard let error else { return }
      catalogue.add("session.\(error.code)", error.description.replacing(path, with: "FOLDER"))
    }
    func read() throws { _ = try store.session(of: did) }
    try store.save(try session())
    let whole = try String(contentsOfFile: file, encoding: .utf8)
    for text in [
      "[]", "{", "{}", #"{"version":0}"#, whole.replacing("\"version\":2", with: "\"version\":9"),
      whole.replacing("\"version\":2", with: "\"credentials\":\"other\",\"version\":2"),
      whole.replacing("\"\(did)\"", with: "\"absent\""), whole.replacing(":true", with: ":1"),
      whole.replacing("\(did)", with: "\(Accounts.did(2))"), String(repeating: " ", count: 70_000),
    ] {
      try Data(text.utf8).write(to: URL(filePath: file))
      add(read)
    }
    try Data("absent".utf8).write(to: URL(filePath: "\(path)/current"))
    try setMode(0o600, of: "\(path)/current")
    let known = KnownAccounts(path: path, patience: .zero)
    let holder = try SecureFolder(path: path).lock("accounts.lock")
    add { try known.remember(.did(did), try session()) }
    holder?.release()
    try Data(#"{"version":9,"accounts":{}}"#.utf8).write(to: URL(filePath: "\(path)/accounts.json"))
    try setMode(0o600, of: "\(path)/accounts.json")
    add { _ = try known.entry(of: .did(did)) }
    try Data("{".utf8).write(to: URL(filePath: "\(path)/accounts.json"))
    try setMode(0o600, of: "\(path)/accounts.json")
    add { _ = try known.entry(of: .did(did)) }
    add { _ = try store.current() }
    try setMode(0o644, of: file)
    add(read)
    try FileManager.default.removeItem(atPath: file)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: "/dev/null")
    add(read)
    try FileManager.default.removeItem(atPath: file)
    #expect(mkfifo(file, 0o600) == 0)
    add(read)
    try setMode(0o755, of: path)
    add(read)
    try setMode(0o700, of: path)
    let full = SessionFolder(
      SecureFolder(path: root.appending(path: "full").path()) { _, _ in
        errno = ENOSPC
        return -1
      })
    let error = #expect(throws: SessionError.self) { try full.save(try session()) }
    if let error {
      let full = root.appending(path: "full").path()
      catalogue.add("session.\(error.code)", error.description.replacing(full, with: "FOLDER"))
    }
    let impatient = SessionFolder(
      SecureFolder(path: path), patience: .milliseconds(1), time: clock.timeSource())
    let locked = await #expect(throws: SessionError.self) {
      try await impatient.withExclusiveAccess(to: did) {
        try await impatient.withExclusiveAccess(to: did) {}
      }
    }
    if let locked { catalogue.add("session.\(locked.code)", "\(locked)".replacing(path, with: "FOLDER")) }
    let long = try DID(parsing: "did:web:" + String(repeating: "a.", count: 150) + "test")
    let tooLong = #expect(throws: SessionError.self) { try store.session(of: long) }
    if let tooLong { catalogue.add("session.\(tooLong.code)", tooLong.detail) }
  }

  private func setMode(_ mode: Int, of path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }
}
