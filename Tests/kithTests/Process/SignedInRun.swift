// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ATProtoSandbox
import Foundation
import TestSupport
import Testing

/// A sandbox and folders of a user who is signed in there, for as long as a test lasts.
final class SignedInRun: Sendable {
  let run: SandboxRun
  private let home: URL
  private let folders: [String: String]

  /// What the runs find in their environment.
  var environment: [String: String] { run.environment.merging(folders) { _, own in own } }

  /// Signs in as Alice at a sandbox of its own, unless another account is named.
  convenience init(
    as name: String = "alice", writing: Sandbox.Writing = Sandbox.Writing(),
    faults: Sandbox.Faults = Sandbox.Faults()
  ) async throws {
    try await self.init(as: name, at: try await SandboxRun(faults: faults, writing: writing))
  }

  /// Signs in as Alice, unless another account is named, at a sandbox that others use too.
  init(as name: String = "alice", at run: SandboxRun) async throws {
    self.run = run
    home = FileManager.default.temporaryDirectory.appending(path: "kith-home-\(UUID().uuidString)")
    folders = [
      "XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data",
      "XDG_CACHE_HOME": "\(home.path())/cache",
    ]
    let login = try await run.kith(
      "login \(name).test --password-stdin", environment: folders, input: "pw-\(name)\n")
    guard login.status == 0 else { throw CocoaError(.userCancelled, userInfo: ["talk": login.talk]) }
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  /// Runs one command line; words are separated by spaces.
  func kith(_ line: String, input: String = "") async throws -> KithRun {
    try await run.kith(line, environment: folders, input: input)
  }

  /// Runs it with arguments that hold spaces.
  func kith(_ arguments: [String]) async throws -> KithRun {
    try await run.kith(arguments, environment: folders)
  }

  /// Where its jobs are kept.
  var dataFolder: String { "\(home.path())/data/kith" }

  /// Whom Alice follows, once for each record.
  func follows() throws -> [String] {
    let handle = try #require(Handle("alice.test"))
    let alice = try #require(run.sandbox.network.account(handle))
    let collection = try #require(NSID("app.bsky.graph.follow"))
    return run.sandbox.records(of: alice.did, in: collection).compactMap { $0.value["subject"]?.string }
  }
}
