// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Foundation
import TestSupport
import Testing

/// Signing in and staying so, against a PDS that these tests did not write.
@Suite(.enabled(if: LiveNetwork.isUp), .timeLimit(.minutes(2)))
struct SessionTests {
  private struct Row: Decodable {
    let did: String, handle: String?, pds: String?, current: Bool, active: Bool?, error: String?
  }

  /// A person's state folder, which outlives the runs of a test.
  private struct Person {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-person-\(UUID().uuidString)")
    let network: LiveNetwork

    func kith(
      _ line: String, password: String? = nil, input: String = "", contact: String? = nil
    ) async throws -> KithRun {
      var environment = [
        "XDG_STATE_HOME": folder.path(), "KITH_APPVIEW": "\(network.tls.appview.url)",
        "ATP_PLC_HOST": "\(network.tls.plc.url)", "ATP_PDS_HOST": "\(network.tls.pds.url)",
        "SSL_CERT_FILE": network.tls.ca,
      ]
      environment["ATP_AUTH_PASSWORD"] = password
      environment["KITH_CONTACT"] = contact
      return try await KithRun(
        line.split(separator: " ").map(String.init), environment: environment, input: input)
    }

    func end() { try? FileManager.default.removeItem(at: folder) }
  }

  @Test func signsInShowsWhoThatIsAndSignsOut() async throws {
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
    // Through the PDS to the AppView, as who is signed in.
    let call = try await person.kith(
      "xrpc query app.bsky.actor.getProfile actor=bob.test --account alice.test --proxy did:web:api.bsky.app#bsky_appview"
    )
    #expect(call.status == 0, "\(call.talk)")
    #expect(try await person.kith("logout").status == 0)
    let after = try await person.kith("whoami --account alice.test")
    #expect(after.status == 77)
    #expect(after.talk.contains("kith login alice.test"))
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
    #expect(run.talk.contains("Invalid identifier or password"))
    #expect(!run.talk.contains("not the password"))
    #expect(try await person.kith("accounts").output == "")
  }

  @Test func saysSignInAgainWhenTheSessionWasRevokedElsewhere() async throws {
    let person = Person(network: try await LiveNetwork.populated().network)
    defer { person.end() }
    let carol = try person.network.account("carol")
    #expect(try await person.kith("login carol.test", password: carol.password).status == 0)
    // Somebody with a copy of the files signs out.
    let copy = Person(network: person.network)
    defer { copy.end() }
    try FileManager.default.copyItem(at: person.folder, to: copy.folder)
    #expect(try await copy.kith("logout").status == 0)
    let run = try await person.kith("whoami")
    #expect(run.status == 77, "\(run.talk)")
    #expect(run.talk.contains("kith login carol.test"))
  }

  /// Twenty commands at once with a token that has expired: one exchange, and all succeed.
  @Test func twentyCommandsExchangeAnExpiredTokenOnce() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-expiry-\(UUID().uuidString)")
      .path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let up = try await HarnessProcess(
      "up", [folder, "1", "auto"], environment: ["PDS_ARGS": "--access-exp 8", "BARE": "1"])
    try #require(up.status == 0, "\(up.talk)")
    do {
      let network = try JSONDecoder().decode(LiveNetwork.self, from: Data(up.output.utf8))
      try await exchangeOnce(Person(network: network))
    } catch {
      _ = try await HarnessProcess("down", [folder])
      throw error
    }
    _ = try await HarnessProcess("down", [folder])
  }

  private func exchangeOnce(_ person: Person) async throws {
    defer { person.end() }
    let alice = try person.network.account("alice")
    let login = try await person.kith("login \(alice.did)", password: alice.password)
    try #require(login.status == 0, "\(login.talk)")
    // The only wait here for a real clock: that of the server, which alone says when a token has expired.
    try await Task.sleep(for: .seconds(8.5))
    let runs = try await withThrowingTaskGroup(of: KithRun.self) { group in
      for _ in 0..<20 { group.addTask { try await person.kith("whoami") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(runs.map(\.status) == Array(repeating: 0, count: 20), "\(runs.map(\.talk))")
    let log = try String(contentsOfFile: person.network.tls.log, encoding: .utf8).split(separator: "\n")
    #expect(log.count { $0.contains("com.atproto.server.refreshSession") } == 1)
    #expect(log.count { $0.contains("com.atproto.server.createSession") } == 1)
  }
}
