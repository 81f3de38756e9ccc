// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

/// Runs that a signal or a deadline ends.
@Suite struct SignalProcessTests {
  /// A check whose stdin stays open, so it does not end by itself.
  private final class Check {
    let sandbox: SandboxRun
    let input = Stream.input()
    let output = Stream.output()
    let talk = Stream.output()
    let kith: RunningKith

    init(_ options: [String] = [], launcher: [String] = []) async throws {
      sandbox = try await SandboxRun()
      kith = try RunningKith(
        ["check", "alice.test", "-", "--format", "ndjson"] + options,
        environment: sandbox.environment.merging(["KITH_MESSAGES": "json"]) { _, new in new },
        streams: [input.far, output.far, talk.far], launcher: launcher)
      for stream in [input, output, talk] { close(stream.far) }
    }

    deinit { for stream in [output, talk] { close(stream.near) } }

    func ask(_ range: Range<Int>) async {
      let dids = Array(sandbox.sandbox.network.accounts)[range].map(\.did.description)
      await input.write(dids.joined(separator: "\n") + "\n")
    }

    /// The codes of all its messages.
    func codes() async throws -> [String] { try KithMessage.all(in: await talk.readAll()).map(\.code) }

    /// Complete rows.
    func rows(_ text: String) throws -> Int {
      #expect(text.hasSuffix("}\n"))
      for line in text.split(separator: "\n") { _ = try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      return text.split(separator: "\n").count
    }
  }

  @Test(arguments: [(SIGINT, 130), (SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aSignalEndsARunCleanly(signal: Int32, status: Int32) async throws {
    let check = try await Check()
    await check.ask(0..<60)
    var text = await check.output.read()
    check.kith.send(signal)
    text += await check.output.readAll()
    #expect(await check.kith.status() == status)
    #expect(try check.rows(text) > 0)
    #expect(try await check.codes() == ["checkSummary"])
    close(check.input.near)
  }

  /// When a terminal closes, both the kernel and the shell send SIGHUP.
  @Test func aSecondHangUpIsIgnored() async throws {
    let check = try await Check()
    await check.ask(0..<60)
    var text = await check.output.read()
    for _ in 0..<20 { check.kith.send(SIGHUP) }
    text += await check.output.readAll()
    #expect(await check.kith.status() == 129)
    #expect(try check.rows(text) > 0)
    #expect(try await check.codes() == ["checkSummary"])
    close(check.input.near)
  }

  @Test(arguments: [(SIGHUP, "HUP"), (SIGINT, "INT")] as [(Int32, String)])
  func anIgnoredSignalStaysIgnored(signal: Int32, name: String) async throws {
    let check = try await Check(launcher: ["/usr/bin/env", "--ignore-signal=\(name)"])
    await check.ask(0..<50)
    var text = await check.output.read()
    check.kith.send(signal)
    await check.ask(50..<100)
    close(check.input.near)
    text += await check.output.readAll()
    #expect(await check.kith.status() == 0)
    #expect(try check.rows(text) == 100)
  }

  @Test func aDeadlineEndsARunWithItsResultsSoFar() async throws {
    // On a busy machine, a short deadline comes before the first result.
    for seconds in [1, 10, 100] {
      let check = try await Check(["--deadline", "\(seconds)s"])
      await check.ask(0..<60)
      let text = await check.output.readAll()
      let status = await check.kith.status()
      close(check.input.near)
      if text.isEmpty, seconds < 100 { continue }
      #expect(status == 75)
      #expect(try check.rows(text) > 0)
      #expect(try await check.codes() == ["checkSummary", "endedByDeadline"])
      break
    }
  }

  @Test(arguments: ["0s", "soon", "5", "-1s"]) func aDeadlineIsASpan(span: String) async throws {
    #expect(try await KithRun(["check", "a.test", "b.test", "--deadline=\(span)"]).status == 64)
  }

  private struct Edges: Decodable { let following: String? }

  @Test(arguments: [(SIGTERM, 143), (SIGHUP, 129)] as [(Int32, Int32)])
  func aTerminatedJobSaysHowToResumeAndResumes(signal: Int32, status: Int32) async throws {
    let alice = try await SignedInRun()
    let followed = try alice.follows()
    let accounts = alice.run.sandbox.network.accounts.dropFirst(20).map(\.did.description)
    let names = accounts.filter { !followed.contains($0) }.prefix(100)
    let run = try await KithRun(
      ["follow", "-", "--commit-size", "1"], environment: alice.environment,
      input: names.joined(separator: "\n")
    ) { victim in
      // The second commit begins after the answer to the first.
      try await eventually { try alice.follows().count >= followed.count + 2 }
      victim.send(signal)
    }
    #expect(run.status == status, "\(run.talk)")
    #expect(try run.message("jobStopped")?.number("job") == 1)
    #expect(try run.changes().contains { $0.state == "done" })
    #expect(try run.changes().contains { $0.state == "pending" })
    #expect(try await alice.process("jobs resume 1").status == 0)
    #expect(try alice.follows().sorted() == (followed + names).sorted())
  }

  /// After its first commit, it waits for the points of the next hour.
  @Test func rowsAppearDuringTheJobAndTheHintComesLast() async throws {
    let alice = try await SignedInRun()
    let followed = Set(try alice.follows())
    let names = alice.run.sandbox.network.accounts.dropFirst(20).map(\.did.description)
      .filter { !followed.contains($0) }.prefix(8)
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["follow", "-", "--points", "9/9", "--leave", "0"], environment: alice.environment,
      streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    await input.write(names.joined(separator: "\n") + "\n")
    close(input.near)
    var rows = ""
    while rows.count(where: { $0 == "\n" }) < 3 {
      let piece = await output.read()
      guard !piece.isEmpty else { break }
      rows += piece
    }
    #expect(rows.count(where: { $0 == "\n" }) == 3)
    #expect(rows.components(separatedBy: #""state":"done""#).count == 4)
    kith.interrupt()
    rows += await output.readAll()
    let words = await talk.readAll()
    #expect(await kith.status() == 130)
    #expect(rows.components(separatedBy: #""state":"pending""#).count == 6)
    let last = words.split(separator: "\n").last
    #expect(last?.contains("kith jobs resume 1") == true, "\(words)")
    for stream in [output, talk] { close(stream.near) }
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGINT]) func theProgressLineIsRemoved(signal: Int32) async throws {
    let sandbox = try await SandboxRun(accounts: 1_000, latency: .milliseconds(150))
    let terminal = try Stream.terminal(columns: 80)
    let input = Stream.input()
    let kith = try RunningKith(
      ["check", "alice.test", "-", "--concurrency", "1", "--no-color"],
      environment: sandbox.environment, streams: [input.far, terminal.far, terminal.far])
    for stream in [input, terminal] { close(stream.far) }
    await input.write(
      sandbox.sandbox.network.accounts.prefix(300).map(\.did.description).joined(separator: "\n") + "\n")
    var text = ""
    while !text.contains(" checked,") {
      let piece = await terminal.read()
      guard !piece.isEmpty else { break }
      text += piece
    }
    kith.send(signal)
    text += await terminal.readAll()
    #expect(await kith.status() == 128 + signal)
    // Text after the last erasure stays on the screen.
    let rest = try #require(text.components(separatedBy: "\r\u{1B}[K").last)
    #expect(text.contains(" checked,") && !rest.contains(" checked,"))
    close(input.near)
    close(terminal.near)
  }

  @Test(arguments: [SIGTERM, SIGINT]) func theDemoLeavesNoFilesBehind(signal: Int32) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-demo-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (output, talk) = (Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["demo"], environment: ["TMPDIR": folder.path(), "PATH": "/usr/bin:/bin"],
      streams: [nil, output.far, talk.far])
    for stream in [output, talk] { close(stream.far) }
    var text = ""
    while !text.contains("kith login") {
      let piece = await output.read()
      guard !piece.isEmpty else { break }
      text += piece
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).count == 1)
    kith.send(signal)
    _ = await output.readAll()
    #expect(await kith.status() == 128 + signal)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path()).isEmpty)
    for stream in [output, talk] { close(stream.near) }
  }

  /// Two jobs are due, and the server stalls during the first.
  @Test(arguments: [SIGINT, SIGTERM]) func anInterruptionOfDueJobsStopsBeforeTheNext(
    signal: Int32
  ) async throws {
    let methods = Set([NSID("com.atproto.repo.applyWrites")].compactMap(\.self))
    let alice = try await SignedInRun(faults: SandboxFaults(rate: 1, kinds: [.stall], methods: methods))
    let handle = try #require(Handle("alice.test"))
    let did = try #require(alice.run.sandbox.network.account(handle)).did
    let store = SQLiteJobStore(try StoreDatabase(folder: alice.dataFolder))
    let now: Instant = 1_700_000_000_000_000
    for number in 1...2 {
      let draft = JobDraft(
        account: did, title: "follow", until: Datetime(at: now + Int64(number)))
      let job = try await store.create(
        draft, [JobItemDraft(input: "x", step: ChangeSamples.follow(number))], isWhole: true, at: now
      ).id
      try await store.record(JobOutcome(states: [0: .done]), of: job, at: now)
      // Without their records there is nothing to undo.
      try await write(number, of: did, alice)
    }
    let run = try await KithRun(["jobs", "due"], environment: alice.environment) { victim in
      try await eventually { !alice.run.sandbox.statistics.faults.isEmpty }
      victim.send(signal)
    }
    #expect(run.status == 128 + signal, "\(run.talk)")
    let undone = try await store.summaries(of: nil).compactMap(\.job.undoes)
    #expect(undone == [JobID(number: 1)], "the second one is as it was")
    #expect(run.output.split(separator: "\n").count == 1)
  }

  private func write(_ number: Int, of did: DID, _ alice: SignedInRun) async throws {
    let body = """
      {"repo": "\(did)", "collection": "app.bsky.graph.follow", "rkey": "\(ChangeSamples.rkey(number))", \
      "record": {"$type": "app.bsky.graph.follow", "subject": "\(Accounts.did(number))", \
      "createdAt": "2026-01-01T00:00:00.000Z"}}
      """
    let run = try await alice.process(
      "xrpc procedure com.atproto.repo.createRecord --account alice.test --input -", input: body)
    #expect(run.status == 0, "\(run.talk)")
  }
}
