// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import TestSupport
import Testing

/// Signing in by a caller that is not a command.
@Suite struct SignInAccountTests {
  private static let tokens = TransportResponse(
    #"{"accessJwt":"a.b.c","refreshJwt":"d.e.f","handle":"user1.test","did":"\#(ScriptedWorkspace.alice)"}"#)

  private let alice = ScriptedWorkspace.alice
  private let password = Password("open sesame")

  private func signIn(asked: PosixMutex<Int> = PosixMutex(0)) throws -> SignInAccount {
    let password = try #require(password)
    return SignInAccount(.did(alice)) { _ in
      asked.withLock { $0 += 1 }
      return password
    }
  }

  private func network() throws -> ScriptedWorkspace {
    try ScriptedWorkspace { method, _ in
      method == "com.atproto.server.createSession"
        ? Self.tokens : .xrpcError(501, "MethodNotImplemented", method)
    }
  }

  @Test func storesTheSessionAndRemembersTheServer() async throws {
    let network = try network()
    let outcome = try await signIn().run(in: network.workspace, Reporter { _ in })
    guard case .signedIn(let session) = outcome else {
      Issue.record("not signed in")
      return
    }
    #expect(session.did == alice)
    #expect(await network.sessions.session(of: alice) == session)
    #expect(await network.sessions.current() == alice)
    #expect(try network.known.entry(of: .did(alice))?.pds.description == "https://pds.test")
  }

  /// The default sends nothing; a caller that asks knows both servers.
  @Test func asksBeforeThePasswordGoesToAnotherServer() async throws {
    let network = try network()
    try network.known.remember(.did(alice), ScriptedWorkspace.session(at: "https://old.test"))
    let asked = PosixMutex(0)
    let signIn = try signIn(asked: asked)
    guard case .declined = try await signIn.run(in: network.workspace, Reporter { _ in }) else {
      Issue.record("signed in without an answer")
      return
    }
    #expect(asked.withLock(\.self) == 0)
    #expect(network.transport.calls(of: "com.atproto.server.createSession") == 0)
    let reporter = Reporter<Never>(
      rows: { _ in },
      ask: { question in
        guard case .signInElsewhere(let found) = question else { return false }
        return found.before.pds.description == "https://old.test"
          && found.target.pds.description == "https://pds.test"
      })
    guard case .signedIn = try await signIn.run(in: network.workspace, reporter) else {
      Issue.record("not signed in after a yes")
      return
    }
    #expect(asked.withLock(\.self) == 1)
  }

  @Test func asksForTheSecondFactorThatTheServerRequires() async throws {
    let network = try ScriptedWorkspace { _, body in
      body.contains(#""authFactorToken":"12345""#)
        ? Self.tokens : .xrpcError(401, "AuthFactorTokenRequired", "a code was sent")
    }
    var signIn = try signIn()
    let error = await #expect(throws: SessionError.self) {
      try await signIn.run(in: network.workspace, Reporter { _ in })
    }
    #expect(error?.code == .secondFactorRequired)
    signIn.authFactor = { $0.map { _ in " 123 45\n" } }
    guard case .signedIn = try await signIn.run(in: network.workspace, Reporter { _ in }) else {
      Issue.record("not signed in with a code")
      return
    }
  }

  @Test func signingOutReportsEachAccountAndWhoIsNext() async throws {
    let network = try ScriptedWorkspace(sessions: [ScriptedWorkspace.session()]) { _, _ in
      TransportResponse(status: 502, "")
    }
    let rows = PosixMutex<[SignOutAccounts.Row]>([])
    let outcome = try await SignOutAccounts(all: true).run(
      in: network.workspace, Reporter { more in rows.withLock { $0 += more } })
    #expect(outcome.count == 1 && outcome.failures.count == 1 && outcome.next == nil)
    #expect(rows.withLock(\.self).map(\.account) == [alice])
    #expect(try rows.withLock(\.self).first?.unfinishedWork?.get().isEmpty == true)
    #expect(await network.sessions.accounts().isEmpty)
  }
}
