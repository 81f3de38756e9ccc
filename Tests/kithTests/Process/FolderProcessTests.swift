// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

/// Folders that other users can write to or have created, and what other processes can see of a run.
@Suite final class FolderProcessTests {
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-folders-\(UUID().uuidString)"
  ).path()

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func makeFolder(_ path: String, mode: Int = 0o700) throws {
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  /// The content of the journal is sent with the user's session.
  @Test(arguments: ["kith", "kith/locks"]) func jobsAreNotReadIfOthersCanWriteThem(
    name: String
  ) async throws {
    try makeFolder("\(root)/kith/locks")
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: "\(root)/\(name)")
    // Listing jobs opens no file here, since there is no journal; it only looks for one in the folder.
    for verb in (name == "kith" ? ["jobs"] : []) + ["jobs due", "jobs resume 1"] {
      let run = try await KithRun.inside(
        verb.split(separator: " ").map(String.init), environment: ["XDG_DATA_HOME": root])
      #expect(run.status == 74, "\(run.talk)")
      let fault = try #require(try run.message("store.unsafe"))
      #expect(fault.text("file") == "\(root)/\(name)" && fault.text("cause") == "file.accessibleToOthers")
      #expect(fault.text("remedy")?.contains("chmod 700 '\(root)/\(name)'") == true)
    }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: "\(root)/\(name)")
    #expect(try await KithRun.inside(["jobs"], environment: ["XDG_DATA_HOME": root]).status == 0)
  }

  @Test func sessionsAreNotReadIfOthersCanWriteThem() async throws {
    try makeFolder("\(root)/kith/sessions", mode: 0o777)
    let run = try await KithRun.inside(["accounts"], environment: ["XDG_STATE_HOME": root])
    #expect(run.status == 74)
    let fault = try #require(try run.message("session.unsafeFile"))
    #expect(fault.text("subject") == "\(root)/kith/sessions")
    #expect(fault.text("remedy")?.contains("chmod 700 '\(root)/kith/sessions'") == true)
  }

  @Test(arguments: ["XDG_STATE_HOME", "XDG_DATA_HOME"])
  func aReplaceableFolderIsNotUsed(variable: String) async throws {
    try makeFolder("\(root)/kith/sessions")
    try makeFolder("\(root)/kith", mode: 0o700)
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: root)
    let verb = variable == "XDG_DATA_HOME" ? "jobs" : "accounts"
    let run = try await KithRun.inside([verb], environment: [variable: root])
    #expect(run.status == 74)
    let fault = try #require(try run.messages.first)
    #expect(fault.text("file") == root && fault.text("cause") == "file.parentWritableByOthers")
    #expect(fault.text("remedy")?.contains("chmod go-w '\(root)'") == true)
    try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: root)
    #expect(try await KithRun.inside([verb], environment: [variable: root]).status == 0)
  }

  @Test func planningFollowsNoSymbolicLink() async throws {
    let alice = try await SignedInRun()
    let victim = "\(root)/victim"
    try makeFolder(root)
    try Data("precious".utf8).write(to: URL(filePath: victim))
    #expect(try await alice.kith("follow niaj.test").status == 0)
    let locks = "\(alice.dataFolder)/locks"
    let planning = try #require(
      try FileManager.default.contentsOfDirectory(atPath: locks).first { $0.hasPrefix("planning-") })
    try FileManager.default.removeItem(atPath: "\(locks)/\(planning)")
    try FileManager.default.createSymbolicLink(
      atPath: "\(locks)/\(planning)", withDestinationPath: victim)
    let run = try await alice.kith("follow dave.test")
    #expect(run.status == 74, "\(run.talk)")
    #expect(try run.message("store.unsafe")?.text("cause") == "file.symbolicLink")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
  }

  /// A job recorded by another user could post as Alice: undo creates deleted records again.
  @Test func aForgedJobIsNotRun() async throws {
    let alice = try await SignedInRun()
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let post: DataValue = [
      "$type": "app.bsky.feed.post", "text": "x", "createdAt": "2026-01-01T00:00:00.000Z",
    ]
    let write = RecordWrite(
      collection: try #require(NSID("app.bsky.feed.post")), rkey: ChangeSamples.rkey(1),
      action: .delete(former: post))
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    let draft = JobDraft(account: did, title: "follow", until: Datetime(at: 2))
    let step = ChangeStep(subject: .account(did), action: .write([write]))
    let job = try await store.create(
      draft, [JobItemDraft(input: "x", step: step)], isWhole: true, at: 1
    ).id
    #expect(try await store.record(JobOutcome(states: [0: .done]), of: job, at: 1) == .done)
    let commits = alice.run.sandbox.statistics.commits
    for verb in ["jobs due", "jobs undo 1 --yes"] {
      let run = try await alice.kith(verb)
      #expect(run.status == 74, "\(run.talk)")
      #expect(try run.codes == ["job.journal"])
    }
    #expect(alice.run.sandbox.statistics.commits == commits)
  }

  /// Another process of the same user can neither read the memory nor get it from a core file.
  @Test func memoryIsProtectedFromOtherProcesses() async throws {
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    // Root may read everything: there the process runs as another user, whose files of /proc then become
    // root's.
    let launcher =
      geteuid() == 0
      ? ["/usr/bin/env", "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"] : []
    let kith = try RunningKith(
      ["check", "alice.test", "-"], environment: ["PATH": "/usr/bin:/bin", "HOME": "/nonexistent"],
      streams: [input.far, output.far, talk.far], launcher: launcher)
    for stream in [input, output, talk] { close(stream.far) }
    // It waits for its input.
    try await eventually {
      let limits = try String(contentsOfFile: "/proc/\(kith.process)/limits", encoding: .utf8)
      let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
      var status = stat()
      return core?.split(separator: " ").suffix(3) == ["0", "0", "bytes"]
        && stat("/proc/\(kith.process)/mem", &status) == 0 && status.st_uid == 0
    }
    kith.send(SIGTERM)
    #expect(await kith.status() == 143)
    for stream in [input, output, talk] { close(stream.near) }
  }
}
