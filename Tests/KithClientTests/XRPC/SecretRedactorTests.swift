// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import KithLexicons
import Logging
import TestSupport
import Testing

@testable import KithClient

@Suite struct SecretRedactorTests {
  private static let secret = "eyJhbGciOiJFUzI1NksifQ.eyJzY29wZSI6ImF0cCJ9.c2lnbmF0dXJl"

  /// Records every line with its metadata.
  private struct Log: LogHandler {
    let lines: PosixMutex<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") } }
  }

  private struct Credentials: CredentialSource {
    let service: ServiceURL
    let only: SessionToken

    func token() -> SessionToken { only }
    func token(after refused: SessionToken, isExpired: Bool) -> SessionToken { only }
  }

  private let lines = PosixMutex<[String]>([])

  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    let service = try ServiceURL(parsing: "https://pds.test")
    let log = Log(lines: lines)
    let credentials = Credentials(service: service, only: try #require(SessionToken(Self.secret)))
    return XRPCClient(
      service: service, transport: transport,
      configuration: XRPCClient.Configuration(
        retry: RetryPolicy(attempts: 3), random: { 0 },
        logger: Logger(label: "test", factory: { _ in log })),
      time: ManualClock(.skipping).timeSource()
    ).signed(by: credentials)
  }

  /// Pieces of the secret in a text, eight characters or longer.
  private func pieces(in text: String) -> [Substring] {
    let starts = Self.secret.indices.dropLast(7)
    return starts.map { Self.secret[$0...].prefix(8) }.filter { text.contains($0) }
  }

  /// A request echoed by a server in debug mode: with so much text before the token that it is cut anywhere.
  private static func page(_ request: TransportRequest, after padding: Int) -> String {
    let authorization = request.head.headerFields[.authorization] ?? ""
    return String(repeating: "x", count: padding) + "\n   authorization: \(authorization)\n"
  }

  @Test(arguments: 540..<620, [false, true])
  func neitherTheLogOfARetryNorTheErrorQuotesAToken(padding: Int, isStreamed: Bool) async throws {
    let transport = ScriptedTransport {
      TransportResponse(status: 500, Self.page($0, after: padding), type: "text/plain")
    }
    let client = try client(transport)
    let method = Com.Atproto.Server.GetSession.self
    let error = await #expect(throws: XRPCError.self) {
      if isStreamed {
        _ = try await client.stream(XRPCRequest(method: method.nsid, verb: .get), repeatable: true)
      } else {
        _ = try await client.query(method, NoParameters())
      }
    }
    let logged = lines.withLock(\.self)
    #expect(transport.requests.count == 3 && logged.count == 2)
    #expect(transport.requests.allSatisfy { $0.head.headerFields[.authorization] == "Bearer \(Self.secret)" })
    for text in logged + ["\(error as Any)"] { #expect(pieces(in: text).isEmpty, "\(text)") }
    #expect(error?.message.hasPrefix("xxx") == true)
  }

  @Test(arguments: ["location", "reason", "message", "name", "answer", "title"])
  func noPartOfAResponseBringsATokenBack(place: String) async throws {
    var answer =
      switch place {
      case "message": TransportResponse.xrpcError(500, "Down", "asked with \(Self.secret)")
      case "name": TransportResponse.xrpcError(500, Self.secret, "asked")
      case "answer": TransportResponse(#"{"did":"\#(Self.secret)","handle":"a.test"}"#)
      case "title":
        TransportResponse(status: 500, "<title>asked with \(Self.secret)</title>", type: "text/html")
      case "location":
        TransportResponse(status: 302, fields: HTTPFields(named: ["Location": "/\(Self.secret)"]))
      default: TransportResponse(status: 500)
      }
    if place == "reason" {
      answer.head.status = HTTPResponse.Status(code: 500, reasonPhrase: "Failed \(Self.secret)")
    }
    let client = try client(ScriptedTransport { [answer] _ in answer })
    let error = await #expect(throws: XRPCError.self) {
      try await client.query(Com.Atproto.Server.GetSession.self, NoParameters())
    }
    for text in lines.withLock(\.self) + ["\(error as Any)"] { #expect(pieces(in: text).isEmpty, "\(text)") }
  }

  @Test func takesOutWhatAServerHasBrokenUpOrCutShort() {
    let secrets = SecretRedactor(tokens: [Self.secret])
    let halves = "\(Self.secret.prefix(30))\n\(Self.secret.dropFirst(30))"
    #expect(secrets.clean("Bearer \(halves)!") == "Bearer …\n…!")
    #expect(secrets.clean("\(Self.secret.prefix(12))... is expired") == "…... is expired")
    #expect(secrets.clean("\(Self.secret)\u{301}") == "…\u{301}")
  }

  @Test func leavesPlainWordsAlone() {
    let secrets = SecretRedactor(
      tokens: [Self.secret, nil, ""], passwords: ["hunter2", "correct horse", nil, ""])
    for text in [
      "", "short", "Invalid identifier or password", "eyJhbGc", "ünïcödé", "hun ter", "%", "&#;", "\\",
    ] {
      #expect(secrets.clean(text) == text)
    }
    #expect(SecretRedactor().isEmpty && SecretRedactor(tokens: [nil, ""], passwords: [""]).isEmpty)
    #expect("\(secrets)" == "secrets" && String(reflecting: secrets) == "secrets")
  }

  /// As servers in debug mode, proxies and error pages quote a request.
  @Test(arguments: [
    #"hun ter2"\é/x"#, #"hun ter2\"\\é\/x"#, #"hun ter2\u0022\u005c\u00e9/x"#, "hun%20ter2%22%5C%C3%A9%2Fx",
    "%68%75%6e%20%74%65%72%32", "hun%2520ter2", "hun+ter2", "HUN TER2", "hun\nter2", "r2&quot;\\&#233;",
    "hun ter2&#34;&#x5c;&#233;/x", "&#104;&#117;&#110;&#32;", "aHVuIHRlcjIiXMOpL3g=", "aHVuIHRlcjIiXMOpL3g",
    "Basic YWxpY2U6aHVuIHRlcjI=", "YWxpY2UudGVzdDpodW4gdGVyMg==", "identifier=alice&password=xxhun txx",
    "68756e2074657232225c", "ter2", "%5Cu0068%5Cu0075%5Cu006e%5Cu0020",
  ])
  func withholdsATextThatQuotesAPasswordInAnyForm(quote: String) throws {
    let secrets = SecretRedactor(passwords: [#"hun ter2"\é/x"#])
    #expect(secrets.clean("asked with \(quote)") == "…")
    let page = #"{"error":"Refused","message":"asked with X"}"#.replacing(
      "X",
      with: quote.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n"))
    let error = XRPCError(
      refusal: TransportResponse(status: 401, page), to: Com.Atproto.Server.CreateSession.nsid,
      service: try ServiceURL(parsing: "https://pds.test"), at: 0, hiding: secrets)
    #expect(error.message == SecretRedactor.withheld && error.name?.rawValue == "Refused")
  }

  @Test func namesOfTheProtocolStay() {
    let secrets = SecretRedactor(passwords: ["factory token"])
    for name in ["AuthFactorTokenRequired", "factory", "InvalidRequest"] {
      let cleaned = secrets.clean(XRPCErrorName(rawValue: name)).rawValue
      #expect(cleaned == (name == "factory" ? "…" : name))
    }
  }

  @Test func noServerQuotesAPasswordInTheWordsThatAreKept() throws {
    // Where the message is cut, and where the examined part ends.
    let cuts = [("hunter2", 0, 597), ("abcd-efgh-ijkl-mnop", 0, 590), ("hunter2", (64 << 10) - 593, 590)]
    for (password, blanks, letters) in cuts {
      let page = String(repeating: " ", count: blanks) + String(repeating: "x", count: letters) + password
      let error = XRPCError(
        refusal: TransportResponse(status: 500, page, type: "text/plain"),
        to: Com.Atproto.Server.CreateSession.nsid, service: try ServiceURL(parsing: "https://pds.test"),
        at: 0,
        hiding: SecretRedactor(passwords: [password]))
      #expect(!error.message.contains(password.prefix(3)), "\(error.message)")
    }
  }
}
