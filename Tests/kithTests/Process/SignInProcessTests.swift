// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import kith

/// Which server receives the password if no PDS is named.
@Suite struct SignInProcessTests {
  /// A scripted AppView, PLC directory, PDS and resolver at one origin: the document of every account claims
  /// `user1.test`.
  private final class Network: Sendable {
    let home = FileManager.default.temporaryDirectory.appending(path: "kith-sign-in-\(UUID().uuidString)")
    let server: BluntServer

    init(_ did: DID, calls handle: String = "user1.test") throws {
      let url = PosixMutex("")
      server = try BluntServer { request in
        let path = request.head.split(separator: " ").dropFirst().first ?? ""
        if path.hasPrefix("/did:") {
          let service = url.withLock { $0 }
          return BluntServer.answer(
            ##"{"id":"\##(path.dropFirst())","alsoKnownAs":["at://user1.test"],"service":[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"\##(service)"}]}"##
          )
        }
        if path.contains("resolveHandle") { return BluntServer.answer(#"{"did":"\#(did)"}"#) }
        if path.contains("createSession") {
          return BluntServer.answer(
            #"{"accessJwt":"access-1","refreshJwt":"refresh-1","handle":"\#(handle)","did":"\#(did)"}"#)
        }
        return BluntServer.answer(#"{"profiles":[{"did":"\#(did)","handle":"user1.test"}]}"#)
      }
      url.withLock { $0 = server.url }
    }

    deinit { try? FileManager.default.removeItem(at: home) }

    var environment: [String: String] {
      ["XDG_STATE_HOME": home.path(), "KITH_APPVIEW": server.url, "ATP_PLC_HOST": server.url]
    }

    var resolving: [String: String] { environment.merging(["KITH_RESOLVER": server.url]) { $1 } }

    var passwords: Int { server.requests.count { $0.body.contains("open sesame") } }
  }

  private func login(_ environment: [String: String], _ options: [String] = []) async throws -> KithRun {
    try await KithRun.inside(
      ["login", "user1.test", "--password-stdin"] + options, environment: environment, input: "open sesame\n")
  }

  @Test func aHostileAppViewDoesNotGetThePassword() async throws {
    let network = try Network(Accounts.did(7))
    let run = try await login(network.environment)
    #expect(run.status == 77)
    #expect(try run.codes == ["session.unverifiedHandle"])
    #expect(network.passwords == 0)
  }

  @Test func aVerifiedHandleSignsInAtItsServer() async throws {
    let network = try Network(Accounts.did(1))
    let run = try await login(network.resolving)
    #expect(run.status == 0, "\(run.talk)")
    let place = try #require(try run.message("signingIn"))
    #expect(place.text("did") == Accounts.did(1).description)
    #expect(place.text("pds") == network.server.url)
    #expect(place["verifiedBy"] == ["resolver"] && place.text("directory") == network.server.url)
    #expect(network.passwords == 1)
  }

  @Test func aChangedHandleIsRefused() async throws {
    let (before, now) = (try Network(Accounts.did(1)), try Network(Accounts.did(2)))
    #expect(try await login(before.resolving).status == 0)
    let moved = now.resolving.merging(["XDG_STATE_HOME": before.home.path()]) { $1 }
    let run = try await login(moved)
    #expect(run.status == 77)
    #expect(try run.codes == ["accountChanged"])
    let message = try #require(try run.message("accountChanged"))
    #expect(message.text("knownDID") == Accounts.did(1).description)
    #expect(message.text("did") == Accounts.did(2).description)
    #expect(now.passwords == 0)
    #expect(try await login(moved, ["--pds", now.server.url]).status == 0)
    #expect(try await login(moved).status == 0, "it is known now")
  }

  @Test(arguments: [("y\n", 0), ("n\n", 1)] as [(String, Int32)])
  func aHandleThatLeadsElsewhereIsAskedAboutOnATerminal(answer: String, status: Int32) async throws {
    let (before, now) = (try Network(Accounts.did(1)), try Network(Accounts.did(2)))
    #expect(try await login(before.resolving).status == 0)
    let more = ["XDG_STATE_HOME": before.home.path(), "ATP_AUTH_PASSWORD": "open sesame"]
    let terminal = try PseudoTerminal(
      ["login", "user1.test"], environment: now.resolving.merging(more) { $1 })
    #expect(await terminal.shows("[y/N]"))
    terminal.type(answer)
    #expect(await terminal.status() == status)
    #expect(now.passwords == (status == 0 ? 1 : 0))
  }

  @Test func noPasswordIsSentInPlainText() async throws {
    let network = try Network(Accounts.did(1))
    let run = try await login(network.resolving, ["--pds", "http://pds.example.com"])
    #expect(run.status == 77)
    #expect(try run.codes == ["session.plainText"])
  }

  /// From an older version, or an edited file.
  @Test func noTokenIsSentInPlainTextUnlessAllowed() async throws {
    let network = try Network(Accounts.did(1))
    #expect(try await login(network.resolving).status == 0)
    let file = network.home.appending(path: "kith/sessions/\(Accounts.did(1)).json")
    let text = try String(contentsOf: file, encoding: .utf8)
    let handle = try FileHandle(forWritingTo: file)
    try handle.truncate(atOffset: 0)
    try handle.write(
      contentsOf: Data(text.replacing(network.server.url, with: "http://pds.example.com").utf8))
    try handle.close()
    let run = try await KithRun.inside(["whoami"], environment: network.resolving)
    #expect(run.status == 77)
    #expect(try run.codes == ["session.plainText"])
  }

  @Test func theServersHandleIsShownBesideTheVerifiedOne() async throws {
    let network = try Network(Accounts.did(1), calls: "mod.example.org")
    let run = try await login(network.resolving)
    let message = try #require(try run.message("signedIn"))
    #expect(message.text("handle") == "user1.test" && message.text("serverHandle") == "mod.example.org")
    let other = try await KithRun.inside(
      ["whoami", "--account", "mod.example.org"], environment: network.resolving)
    #expect(other.status == 77)
    #expect(try other.codes == ["session.notSignedIn"])
  }
}
