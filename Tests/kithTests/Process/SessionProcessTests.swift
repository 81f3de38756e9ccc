// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import kith

/// Sessions in files and commands, against a scripted PDS.
@Suite struct SessionProcessTests {
  private static let did = Accounts.did(1)
  private static let secrets = ["access-token-1", "refresh-token-1", "open sesame"]

  private final class Person: Sendable {
    let state = FileManager.default.temporaryDirectory.appending(path: "kith-state-\(UUID().uuidString)")
    let server: BluntServer

    init(
      signIn: @escaping @Sendable (BluntServer.Request) -> String = { _ in BluntServer.answer(tokens) }
    ) throws {
      server = try BluntServer { request in
        if request.head.contains("createSession") { return signIn(request) }
        if request.head.contains("getSession") {
          return BluntServer.answer(#"{"did":"\#(did)","handle":"user1.test","active":true}"#)
        }
        if request.head.contains("deleteSession") { return BluntServer.answer("{}") }
        if request.head.contains("resolveHandle") { return BluntServer.answer(#"{"did":"\#(did)"}"#) }
        return BluntServer.answer(#"{"profiles":[]}"#)
      }
    }

    deinit { try? FileManager.default.removeItem(at: state) }

    var folder: String { state.appending(path: "kith/sessions").path() }
    var file: String { "\(folder)/\(did).json" }

    var environment: [String: String] {
      [
        "XDG_STATE_HOME": state.path(), "KITH_APPVIEW": server.url, "ATP_PDS_HOST": server.url,
        "ATP_PLC_HOST": server.url,
      ]
    }

    func kith(
      _ line: String, _ more: [String: String] = [:], input: String = ""
    ) async throws -> KithRun {
      try await KithRun.inside(
        line.split(separator: " ").map(String.init), environment: environment.merging(more) { _, new in new },
        input: input)
    }

    /// A text that only the password prompt contains.
    var prompt: String { "user1.test at \(server.url.dropFirst("http://".count))" }

    func signIn() async throws -> KithRun {
      try await kith("login user1.test", ["ATP_AUTH_PASSWORD": "open sesame"])
    }
  }

  private static let tokens =
    #"{"accessJwt":"access-token-1","refreshJwt":"refresh-token-1","handle":"user1.test","did":"\#(did)","active":true}"#

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func aSessionPersists() async throws {
    let person = try Person()
    let login = try await person.signIn()
    #expect(login.status == 0 && login.output == "")
    #expect(try login.codes == ["signingIn", "signedIn"])
    let signedIn = try #require(try login.message("signedIn"))
    #expect(signedIn.text("did") == Self.did.description && signedIn.text("handle") == "user1.test")
    #expect(signedIn.text("pds") == person.server.url)
    #expect(try mode(person.folder) == 0o700 && mode(person.file) == 0o600)
    let who = try await person.kith("whoami --format table")
    let lines = who.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    #expect(
      lines == [
        ["HANDLE", "STATE", "PDS", "DID"],
        ["*", "user1.test", "active", person.server.url, Self.did.description],
      ])
    #expect(person.server.requests.count { $0.head.contains("createSession") } == 1)
    let signed = try #require(person.server.requests.last { $0.head.contains("getSession") })
    #expect(signed.head.contains("Authorization: Bearer access-token-1"))
  }

  @Test func neverPrintsSecrets() async throws {
    let person = try Person { request in
      // Echoes the request, as a careless server may.
      request.body.contains("open sesame")
        ? BluntServer.answer(request.body, status: "401 Unauthorized") : BluntServer.answer(Self.tokens)
    }
    let refused = try await person.kith("login user1.test -v", ["ATP_AUTH_PASSWORD": "open sesame"])
    #expect(refused.status == 77)
    let login = try await person.kith("login user1.test -v --password-stdin", input: "sesame open\r\n")
    #expect(login.status == 0, "\(login.talk)")
    var runs = [refused, login]
    for line in [
      "whoami -v", "whoami -v --json", "accounts --format csv", "accounts --format table", "logout -v",
    ] {
      runs.append(try await person.kith(line))
    }
    for run in runs {
      for secret in Self.secrets + ["sesame open"] { #expect(!(run.output + run.talk).contains(secret)) }
    }
    let sent = person.server.requests.filter { $0.head.contains("createSession") }
    #expect(sent.last?.body.contains(#""password":"sesame open""#) == true, "without the line break")
  }

  @Test func rejectsAFileThatOthersCanRead() async throws {
    let person = try Person()
    #expect(try await person.signIn().status == 0)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: person.file)
    let run = try await person.kith("whoami")
    #expect(run.status == 74)
    #expect(try run.codes == ["session.unsafeFile"])
    #expect(try run.messages.first?.text("subject") == person.file)
    let rows = try await person.kith("accounts --format csv")
    #expect(rows.status == 74)
    #expect(rows.output.contains("\(Self.did),,,true"))
  }

  @Test func reportsADamagedFileAndARemedy() async throws {
    let person = try Person()
    #expect(try await person.signIn().status == 0)
    try Data("{".utf8).write(to: URL(filePath: person.file))
    let run = try await person.kith("whoami")
    #expect(run.status == 74)
    #expect(try run.codes == ["session.malformedFile"])
    #expect(try run.messages.first?.text("subject") == person.file)
    #expect(try await person.signIn().status == 0)
    #expect(try await person.kith("whoami").status == 0)
  }

  @Test(arguments: ["whoami", "logout", "whoami --account user1.test"])
  func withoutASessionSaysWhatToRun(line: String) async throws {
    let run = try await Person().kith(line)
    #expect(run.status == 77)
    #expect(run.output == "")
    #expect(try run.codes == ["session.notSignedIn"])
  }

  @Test(
    arguments: [
      ("login", 64), ("login user1.test --account user2.test", 64), ("login x_y", 65),
      ("login user1.test --password-stdin", 64), ("logout --all --account user1.test", 64),
      ("accounts switch", 64), ("accounts switch user9.test", 77), ("whoami --account x_y", 65),
      ("accounts", 0), ("logout --all", 0), ("accounts list --json", 0),
    ])
  func endsWithTheDocumentedStatus(line: String, status: Int32) async throws {
    let run = try await Person().kith(line)
    #expect(run.status == status, "\(run.talk)")
  }

  @Test func asksForTheSecondFactor() async throws {
    let person = try Person { request in
      request.body.contains(#""authFactorToken":"AB-1""#)
        ? BluntServer.answer(Self.tokens)
        : BluntServer.answer(
          #"{"error":"AuthFactorTokenRequired","message":"A code was sent"}"#, status: "401 Unauthorized")
    }
    let first = try await person.signIn()
    #expect(first.status == 77)
    #expect(try first.codes == ["signingIn", "secondFactor"])
    let password = ["ATP_AUTH_PASSWORD": "open sesame"]
    let piped = try await person.kith("login user1.test --auth-factor-stdin", password, input: " AB-1\r\n")
    #expect(piped.status == 0, "\(piped.talk)")
    let variables = password.merging(["ATP_AUTH_FACTOR": "AB-1"]) { _, new in new }
    #expect(try await person.kith("login user1.test", variables).status == 0)
    let both = try await person.kith(
      "login user1.test --password-stdin", ["ATP_AUTH_FACTOR": "AB-1"], input: "open sesame\n")
    #expect(both.status == 0, "\(both.talk)")
  }

  /// Every user can read the arguments of every process.
  @Test func rejectsACodeInTheArguments() async throws {
    let person = try Person()
    for line in ["login user1.test --auth-factor AB-1", "login user1.test --auth-factor=AB-1"] {
      let run = try await person.kith(line, ["ATP_AUTH_PASSWORD": "open sesame"])
      #expect(run.status == 64)
      #expect(try run.codes == ["usage"])
      #expect(!run.talk.contains("AB-1"))
    }
    let twice = try await person.kith(
      "login user1.test --password-stdin --auth-factor-stdin", input: "open sesame\nAB-1\n")
    #expect(twice.status == 64)
    let none = try await person.kith(
      "login user1.test --auth-factor-stdin", ["ATP_AUTH_PASSWORD": "open sesame"])
    #expect(none.status == 64)
    #expect(try twice.codes == ["usage"] && none.codes == ["signingIn", "noSecondFactor"])
    #expect(!person.server.requests.contains { $0.head.contains("createSession") })
  }

  @Test(
    arguments: [
      ("com.atproto.access", true), ("com.atproto.appPass", false), ("com.atproto.appPassPrivileged", false),
    ])
  func warnsAboutTheMainPassword(scope: String, isWarned: Bool) async throws {
    let claims = Data(#"{"scope":"\#(scope)","iat":1,"exp":9000}"#.utf8).base64EncodedString()
    let token = "eyJhbGciOiJub25lIn0.\(claims.filter { $0 != "=" }).sig"
    let person = try Person { _ in
      BluntServer.answer(Self.tokens.replacing("access-token-1", with: token))
    }
    let run = try await person.signIn()
    #expect(run.status == 0)
    #expect(try run.codes == ["signingIn", "signedIn"] + (isWarned ? ["mainPassword"] : []))
  }

  @Test func asksOnTheTerminalWithoutEcho() async throws {
    let person = try Person()
    let terminal = try PseudoTerminal(
      ["login", "user1.test"],
      environment: person.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new })
    #expect(await terminal.shows(person.prompt))
    #expect(!terminal.showsInput)
    terminal.type("open sesame\n")
    #expect(await terminal.shows("\"code\":\"signedIn\""))
    #expect(await terminal.status() == 0)
    #expect(terminal.showsInput)
    #expect(!terminal.transcript.contains("open sesame"))
    let sent = person.server.requests.last { $0.head.contains("createSession") }
    #expect(sent?.body.contains(#""password":"open sesame""#) == true)
  }

  @Test(arguments: ["--password-stdin", "--auth-factor-stdin"])
  func readsNoSecretFromATerminalThatShowsIt(option: String) async throws {
    let person = try Person()
    let terminal = try PseudoTerminal(
      ["login", "user1.test", option],
      environment: person.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new })
    #expect(await terminal.shows("\"code\":\"secretFromTerminal\""))
    #expect(await terminal.status() == 64)
    #expect(person.server.requests.isEmpty)
  }

  @Test func restoresTheTerminalAtCtrlC() async throws {
    let person = try Person()
    let terminal = try PseudoTerminal(["login", "user1.test"], environment: person.environment)
    #expect(await terminal.shows(person.prompt))
    terminal.type("open\u{3}")
    #expect(await terminal.status() == 130)
    #expect(terminal.showsInput)
    #expect(!person.server.requests.contains { $0.head.contains("createSession") })
  }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129), (SIGINT, 130)] as [(Int32, Int32)])
  func restoresTheTerminalAtASignal(signal: Int32, status: Int32) async throws {
    let person = try Person()
    let terminal = try PseudoTerminal(["login", "user1.test"], environment: person.environment)
    #expect(await terminal.shows(person.prompt))
    #expect(!terminal.showsInput)
    terminal.send(signal)
    #expect(await terminal.status() == status)
    #expect(terminal.showsInput)
    #expect(!person.server.requests.contains { $0.head.contains("createSession") })
  }

  @Test func endsIfItsTerminalIsClosed() async throws {
    let person = try Person()
    let terminal = try PseudoTerminal(["login", "user1.test"], environment: person.environment)
    #expect(await terminal.shows(person.prompt))
    terminal.hangUp()
    #expect(await terminal.status() == 129)
  }

  @Test func aSignOutRemovesTheSessionEvenIfTheServerIsGone() async throws {
    let person = try Person()
    #expect(try await person.signIn().status == 0)
    let text = try String(contentsOfFile: person.file, encoding: .utf8)
    try Data(text.replacing(person.server.url, with: "http://127.0.0.1:1").utf8).write(
      to: URL(filePath: person.file))
    let run = try await person.kith("logout")
    #expect(run.status == 69)
    #expect(try run.codes == ["notRevoked"])
    #expect(try run.messages.first?["cause"]?["cause"] == "transport.cannotConnect")
    #expect(try await person.kith("whoami").status == 77)
  }

  @Test func anUnusableFileDoesNotKeepOthersSignedIn() async throws {
    let person = try Person()
    #expect(try await person.signIn().status == 0)
    let other = "\(person.folder)/\(Accounts.did(0)).json"
    try FileManager.default.copyItem(atPath: person.file, toPath: other)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: other)
    let run = try await person.kith("logout --all")
    #expect(run.status == 74)
    #expect(try run.message("session.unsafeFile")?.text("subject") == other)
    #expect(try run.message("signedOut")?.text("did") == Self.did.description)
    #expect(!FileManager.default.fileExists(atPath: person.file))
  }

  @Test func ignoresARelativeStateFolder() async throws {
    let person = try Person()
    let run = try await person.kith(
      "login user1.test",
      [
        "ATP_AUTH_PASSWORD": "open sesame", "XDG_STATE_HOME": "state", "HOME": person.state.path(),
      ])
    #expect(run.status == 0, "\(run.talk)")
    #expect(
      FileManager.default.fileExists(
        atPath: person.state.appending(path: ".local/state/kith/sessions/\(Self.did).json").path()))
  }
}
