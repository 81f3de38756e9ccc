// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

/// A sandbox and the folders of a signed-in user, for the duration of a test.
final class SignedInRun: Sendable {
  let run: SandboxRun
  private let home: URL
  private let folders: [String: String]

  /// The environment of the runs.
  var environment: [String: String] { run.environment.merging(folders) { _, own in own } }

  /// Signs in as Alice, or another account, at a new sandbox.
  convenience init(
    as name: String = "alice", writing: SandboxWriting = SandboxWriting(),
    faults: SandboxFaults = SandboxFaults()
  ) async throws {
    try await self.init(as: name, at: try await SandboxRun(faults: faults, writing: writing))
  }

  /// Signs in as Alice, or another account, at a shared sandbox.
  init(as name: String = "alice", at run: SandboxRun) async throws {
    self.run = run
    home = FileManager.default.temporaryDirectory.appending(path: "kith-home-\(UUID().uuidString)")
    folders = [
      "XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data",
      "XDG_CACHE_HOME": "\(home.path())/cache", "XDG_CONFIG_HOME": "\(home.path())/config",
    ]
    let password = ["ATP_AUTH_PASSWORD": "pw-\(name)"]
    let login = try await run.kith("login \(name).test", environment: folders.merging(password) { $1 })
    guard login.status == 0 else { throw CocoaError(.userCancelled, userInfo: ["talk": login.talk]) }
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  /// Runs one command line in the test process; words are separated by spaces.
  func kith(_ line: String, input: String = "") async throws -> KithRun {
    try await run.kith(line, environment: folders, input: input)
  }

  /// Runs it with arguments that may contain spaces.
  func kith(_ arguments: [String]) async throws -> KithRun {
    try await run.kith(arguments, environment: folders)
  }

  /// Runs one command line as a process of its own; words are separated by spaces.
  func process(_ line: String, input: String = "") async throws -> KithRun {
    try await run.process(line, environment: folders, input: input)
  }

  /// The folder of its jobs.
  var dataFolder: String { "\(home.path())/data/kith" }

  /// The accounts that Alice follows, one per record.
  func follows() throws -> [String] {
    let handle = try #require(Handle("alice.test"))
    let alice = try #require(run.sandbox.network.account(handle))
    let collection = try #require(NSID("app.bsky.graph.follow"))
    return run.sandbox.records(of: alice.did, in: collection).compactMap { $0.value["subject"]?.string }
  }
}
