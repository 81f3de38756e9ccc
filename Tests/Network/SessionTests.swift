// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

/// Signing in and staying signed in, with a PDS that these tests did not write.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct SessionTests {
  private struct Row: Decodable {
    let did: String, handle: String?, pds: String?, current: Bool, active: Bool?, error: String?
  }

  @Test func signsInShowsTheAccountAndSignsOut() async throws {
    let person = Person(network: try await LiveNetwork.populated().network)
    defer { person.end() }
    let (alice, bob) = (try person.network.account("alice"), try person.network.account("bob"))
    let login = try await person.kith("login alice.test -v", password: alice.password)
    #expect(login.status == 0, "\(login.talk)")
    #expect(login.output == "")
    let second = try await person.kith("login \(bob.did) --password-stdin", input: "\(bob.password)\n")
    #expect(second.status == 0, "\(second.talk)")
    let accounts = try await person.kith("accounts")
    #expect(try accounts.rows(Row.self).map(\.current).count { $0 } == 1)
    let who = try await person.kith("whoami")
    #expect(try who.rows(Row.self).map(\.did) == [bob.did.description])
    #expect(try await person.kith("accounts switch alice.test").status == 0)
    let now = try await person.kith("whoami -v")
    #expect(try now.rows(Row.self).map(\.handle) == ["alice.test"])
    let named = try await person.kith("whoami --account bob.test")
    #expect(try named.rows(Row.self).map(\.did) == [bob.did.description])
    // Through the PDS to the AppView, as the signed-in account.
    let call = try await person.kith(
      "xrpc query app.bsky.actor.getProfile actor=bob.test --account alice.test --proxy did:web:api.bsky.app#bsky_appview"
    )
    #expect(call.status == 0, "\(call.talk)")
    #expect(try await person.kith("logout").status == 0)
    let after = try await person.kith("whoami --account alice.test")
    #expect(after.status == 77)
    #expect(try after.codes == ["session.notSignedIn"])
    #expect(try await person.kith("logout --all").status == 0)
    #expect(try await person.kith("whoami").status == 77)
    for run in [login, second, accounts, who, now, call] {
      for secret in [alice.password, bob.password, "eyJ"] {
        #expect(!(run.output + run.talk).contains(secret))
      }
    }
  }

  @Test func refusesAWrongPassword() async throws {
    let person = Person(network: try await LiveNetwork.populated().network)
    defer { person.end() }
    let run = try await person.kith("login alice.test", password: "not the password")
    #expect(run.status == 77)
    #expect(try run.codes == ["signingIn", "session.refused"])
    #expect(!run.talk.contains("not the password"))
    #expect(try await person.kith("accounts").output == "")
  }

  @Test func saysSignInAgainWhenTheSessionWasRevokedElsewhere() async throws {
    let person = Person(network: try await LiveNetwork.populated().network)
    defer { person.end() }
    let carol = try person.network.account("carol")
    #expect(try await person.kith("login carol.test", password: carol.password).status == 0)
    // Someone with a copy of the files signs out.
    let copy = Person(network: person.network)
    defer { copy.end() }
    try FileManager.default.copyItem(at: person.folder, to: copy.folder)
    #expect(try await copy.kith("logout").status == 0)
    let run = try await person.kith("whoami")
    #expect(run.status == 77, "\(run.talk)")
    #expect(try run.messages.first?.code == "session.ended")
  }

  /// Twenty commands at once with an expired token: one refresh, and all succeed.
  @Test func twentyCommandsRefreshAnExpiredTokenOnce() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-expiry-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let up = try await HarnessProcess(
      "up", [folder, "2", "auto"], environment: ["PDS_ARGS": "--access-exp 8", "BARE": "1"])
    try #require(up.status == 0, "\(up.talk)")
    do {
      let network = try JSONDecoder().decode(LiveNetwork.self, from: Data(up.output.utf8))
      try await exchangeOnce(network)
    } catch {
      _ = try await HarnessProcess("down", [folder])
      throw error
    }
    _ = try await HarnessProcess("down", [folder])
  }

  private func exchangeOnce(_ network: LiveNetwork) async throws {
    let (knowing, trusting) = (Person(network: network), Person(network: network))
    defer {
      knowing.end()
      trusting.end()
    }
    for (person, name) in [(knowing, "alice"), (trusting, "bob")] {
      let account = try network.account(name)
      let login = try await person.kith("login \(account.did)", password: account.password)
      try #require(login.status == 0, "\(login.talk)")
    }
    // The only wait for a real clock here: only the server decides when a token has expired.
    try await Task.sleep(for: .seconds(8.5))
    try await askTwentyTimes(knowing)
    // These treat their token as new, and learn from the server that it is not.
    try trusting.takeTokensForNew(of: network.account("bob"))
    try await askTwentyTimes(trusting)
    let log = try String(contentsOfFile: network.tls.log, encoding: .utf8).split(separator: "\n")
    func calls(of method: String, answered status: String) -> Int {
      log.count { $0.contains("\(method) \(status) ") }
    }
    #expect(calls(of: "com.atproto.server.refreshSession", answered: "200") == 2, "one for each person")
    #expect(calls(of: "com.atproto.server.refreshSession", answered: "400") == 0)
    #expect(calls(of: "com.atproto.server.createSession", answered: "200") == 2)
    #expect(calls(of: "com.atproto.server.getSession", answered: "200") == 40)
    #expect(calls(of: "com.atproto.server.getSession", answered: "400") > 0)
  }

  private func askTwentyTimes(_ person: Person) async throws {
    let runs = try await withThrowingTaskGroup(of: KithRun.self) { group in
      for _ in 0..<20 { group.addTask { try await person.kith("whoami") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(runs.map(\.status) == Array(repeating: 0, count: 20), "\(runs.map(\.talk))")
  }
}

extension Person {
  /// Makes later runs believe that the stored tokens are new.
  fileprivate func takeTokensForNew(of account: LiveNetwork.Account) throws {
    let file = folder.appending(path: "state/kith/sessions/\(account.did).json")
    var text = try String(contentsOf: file, encoding: .utf8)
    text.replace(/"receivedAt":[0-9]+/, with: "\"receivedAt\":\(Int64(Date().timeIntervalSince1970 * 1e6))")
    // In place, so the file keeps its mode.
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: Data(text.utf8))
    try handle.close()
  }
}
