// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// `kith sandbox` in a script: its output is enough to sign in and to write.
@Suite struct SandboxProcessTests {
  private struct Printed: Decodable {
    struct Account: Decodable {
      let handle: String
      let did: String
      let password: String
    }
    let appview: String
    let pds: String
    let plc: String
    let resolver: String
    let accounts: [Account]
  }

  /// Runs a sandbox during the body.
  private func withSandbox(_ options: [String], _ body: (Printed) async throws -> Void) async throws {
    let (output, talk) = (Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["sandbox", "--accounts", "14"] + options, environment: [:], streams: [nil, output.far, talk.far])
    for stream in [output, talk] { close(stream.far) }
    defer { for stream in [output, talk] { close(stream.near) } }
    var line = ""
    while !line.hasSuffix("\n"), case let piece = await output.read(), !piece.isEmpty { line += piece }
    do {
      try await body(try JSONDecoder().decode(Printed.self, from: Data(line.utf8)))
    } catch {
      Issue.record(error)
    }
    kith.interrupt()
    #expect(await kith.status() == 130)
  }

  private func signIn(_ account: Printed.Account, at pds: String, code: String? = nil) async throws -> KithRun
  {
    let code = code.map { #", "authFactorToken": "\#($0)""# } ?? ""
    return try await KithRun(
      [
        "xrpc", "procedure", "com.atproto.server.createSession", "--input", "-", "--service", pds,
      ], environment: [:],
      input: #"{"identifier": "\#(account.handle)", "password": "\#(account.password)"\#(code)}"#)
  }

  /// As in the README: without a named PDS, the sandbox verifies its own handles.
  @Test func printsItsResolver() async throws {
    try await withSandbox([]) { printed in
      let variables = [
        "KITH_APPVIEW": printed.appview, "ATP_PLC_HOST": printed.plc, "KITH_RESOLVER": printed.resolver,
      ]
      let run = try await KithRun(
        ["login", "alice.test", "--password-stdin"], environment: variables, input: "pw-alice\n")
      #expect(run.status == 0, "\(run.talk)")
      #expect(try run.codes == ["signingIn", "signedIn"])
    }
  }

  @Test func printsEverythingForSigningIn() async throws {
    try await withSandbox(["--with-code", "judy.test"]) { printed in
      let alice = try #require(printed.accounts.first)
      #expect(alice.handle == "alice.test" && alice.password == "pw-alice" && printed.accounts.count == 14)
      let session = try await signIn(alice, at: printed.pds)
      #expect(session.status == 0 && session.output.contains(#""accessJwt":"ey"#))
      let judy = try #require(printed.accounts.first { $0.handle == "judy.test" })
      let refused = try await signIn(judy, at: printed.pds)
      #expect(refused.status == 77)
      #expect(try refused.messages.first?.text("name") == "AuthFactorTokenRequired", "\(refused.talk)")
      #expect(try await signIn(judy, at: printed.pds, code: "ABCDE-23456").status == 0)
    }
  }

  @Test func optionsConfigureThePDS() async throws {
    try await withSandbox(["--dialect", "lenient"]) { printed in
      let alice = try #require(printed.accounts.first)
      let records = try await KithRun(
        [
          "xrpc", "query", "com.atproto.repo.getRecord", "repo=\(alice.did)",
          "collection=app.bsky.graph.follow", "rkey=nothing", "--service", printed.pds,
        ], environment: [:])
      // A lenient PDS has no error name for it.
      #expect(records.status != 0)
      let message = try #require(try records.messages.first)
      #expect(message.number("httpStatus") == 400 && message.text("name") == nil, "\(records.talk)")
    }
  }

  private func asked(_ method: String, _ parameters: [String], at service: String) async throws -> KithRun {
    try await KithRun(["xrpc", "query", method] + parameters + ["--service", service], environment: [:])
  }

  /// All ways in which the PDS and the AppView can disagree.
  @Test func optionsLetThePDSAndTheAppViewDisagree() async throws {
    let options = ["--unindexed", "bob.test", "--lag", "600000", "--acknowledgement", "missing"]
    try await withSandbox(options) { printed in
      let profile = "app.bsky.actor.getProfile"
      let unseen = try await asked(profile, ["actor=bob.test"], at: printed.appview)
      #expect(unseen.status == 67, "\(unseen.talk)")
      #expect(try await asked(profile, ["actor=carol.test"], at: printed.appview).status == 0)
      let bob = try #require(printed.accounts.first { $0.handle == "bob.test" }?.did)
      let status = try await asked("com.atproto.sync.getRepoStatus", ["did=\(bob)"], at: printed.pds)
      #expect(status.output.contains(#""active":true"#), "\(status.output)")
      let home = FileManager.default.temporaryDirectory.appending(path: "kith-home-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: home) }
      let variables = [
        "KITH_APPVIEW": printed.appview, "ATP_PLC_HOST": printed.plc, "KITH_RESOLVER": printed.resolver,
        "XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data",
        "XDG_CACHE_HOME": "\(home.path())/cache",
      ]
      let login = try await KithRun(
        ["login", "alice.test", "--password-stdin"], environment: variables, input: "pw-alice\n")
      #expect(login.status == 0, "\(login.talk)")
      let follow = try await KithRun(["follow", "niaj.test"], environment: variables)
      #expect(try follow.status == 0 && follow.changes().map(\.state) == ["done"], "\(follow.talk)")
      let alice = try #require(printed.accounts.first?.did)
      let niaj = try #require(printed.accounts.first { $0.handle == "niaj.test" }?.did)
      let edges = try await asked(
        "app.bsky.graph.getRelationships", ["actor=\(alice)", "others=\(niaj)"], at: printed.appview)
      #expect(edges.status == 0 && !edges.output.contains(#""following""#), "\(edges.output)")
    }
  }

  /// What a signed-in viewer may not see because of a block is not a failing service.
  @Test func aFeedBehindABlockIsNotAllowed() async throws {
    let alice = try await SignedInRun()
    let run = try await alice.process("xrpc query app.bsky.feed.getAuthorFeed actor=frank.test")
    #expect(run.status == 77, "\(run.talk)")
    #expect(try run.messages.last?.text("name") == "BlockedByActor")
  }

  // MARK: Where kith-sandbox is

  /// Lays out an installation of hard links during the body.
  private func withInstallation(
    sandboxIn folder: String?, _ body: (_ root: URL) async throws -> Void
  ) async throws {
    let files = FileManager.default
    let built = URL(filePath: KithRun.executable).deletingLastPathComponent()
    let root = built.appending(path: "kith-installation-\(UUID().uuidString)")
    for folder in ["bin", "libexec/kith"] {
      try files.createDirectory(at: root.appending(path: folder), withIntermediateDirectories: true)
    }
    defer { try? files.removeItem(at: root) }
    try files.linkItem(at: built.appending(path: "kith"), to: root.appending(path: "bin/kith"))
    if let folder {
      try files.linkItem(
        at: built.appending(path: "kith-sandbox"), to: root.appending(path: "\(folder)/kith-sandbox"))
    }
    try await body(root)
  }

  @Test(arguments: ["bin", "libexec/kith"])
  func theProgramIsFoundBesideKithOrInLibexec(folder: String) async throws {
    try await withInstallation(sandboxIn: folder) { root in
      let link = root.appending(path: "elsewhere")
      try FileManager.default.createSymbolicLink(
        at: link, withDestinationURL: root.appending(path: "bin/kith"))
      for program in [root.appending(path: "bin/kith"), link] {
        let run = try await KithRun(["sandbox", "--help"], of: program.path())
        #expect(run.status == 0 && run.output.contains("--rate-limit"), "\(run.talk)")
        let demo = try await KithRun(["demo", "--help"], of: program.path())
        #expect(demo.status == 0 && demo.output.contains("--report"), "\(demo.talk)")
      }
    }
  }

  @Test func aMissingProgramIsNamedWithWhatToInstall() async throws {
    try await withInstallation(sandboxIn: nil) { root in
      for verb in ["sandbox", "demo"] {
        let run = try await KithRun([verb], of: root.appending(path: "bin/kith").path())
        #expect(run.status == 69)
        #expect(try run.codes == ["noSandboxProgram"])
        #expect(run.talk.contains("bin/kith-sandbox") && run.talk.contains("libexec/kith/kith-sandbox"))
      }
    }
  }

  @Test func aDemoWithoutKithSaysSo() async throws {
    let program = URL(filePath: KithRun.executable).deletingLastPathComponent().appending(
      path: "kith-sandbox")
    let run = try await KithRun(["demo", "--kith", "/nowhere/kith"], of: program.path())
    #expect(run.status == 69)
    #expect(run.talk.split(separator: "\n").count == 1)
  }

  @Test func aTakenPortIsNamed() async throws {
    try await withSandbox([]) { printed in
      let port = try #require(printed.appview.split(separator: ":").last)
      let run = try await KithRun(["sandbox", "--port", String(port)])
      #expect(run.status == 69)
      #expect(run.talk.split(separator: "\n").count == 1)
    }
  }
}
