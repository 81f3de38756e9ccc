// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KithCore
import TestSupport
import Testing

@testable import KithSandbox

/// `kith daemon` as a process, with its socket, its lock and its service manager.
@Suite(.timeLimit(.minutes(1))) struct DaemonProcessTests {
  private struct Check: Decodable { let source: String?, followedBy: String? }
  private struct Change: Decodable { let kind: String?, did: String? }

  private let user: SignedInRun
  private let alice, bob: DID

  init() async throws {
    user = try await SignedInRun(at: try await SandboxRun(accounts: 100))
    let network = user.run.sandbox.network
    alice = try #require(network.account(Handle(parsing: "alice.test"))).did
    bob = try #require(network.account(Handle(parsing: "bob.test"))).did
    user.run.sandbox.unfollow(from: bob, to: alice)
    #expect(try await user.kith("watch add alice.test").status == 0)
  }

  private var folder: String { "\(user.environment["XDG_STATE_HOME"] ?? "")/kith" }
  private var socket: String { "\(folder)/daemon.sock" }

  /// A daemon that is up to date, and its messages.
  private func start(
    _ more: [String: String] = [:], launcher: [String] = []
  ) async throws -> (kith: RunningKith, talk: Stream) {
    let (output, talk) = (Stream.output(), Stream.output())
    let environment = user.environment.merging(["KITH_MESSAGES": "json", "KITH_TEST_SPEED": "1"]) { $1 }
    let kith = try RunningKith(
      ["daemon"], environment: environment.merging(more) { $1 }, streams: [nil, output.far, talk.far],
      launcher: launcher)
    for stream in [output, talk] { close(stream.far) }
    try await eventually { user.run.sandbox.stream.waiterCount == 1 }
    return (kith, talk)
  }

  private func check() async throws -> Check {
    try #require(try await user.kith("check alice.test bob.test").rows(Check.self).first)
  }

  /// At first the stream may replay what came before, and a stopped process is not asked for a while.
  private func untilItAnswers() async throws {
    while try await check().source != "daemon" { try await Task.sleep(for: .milliseconds(100)) }
  }

  @Test func itAnswersAloneAndGoesWithASignal() async throws {
    let (kith, talk) = try await start()
    var status = stat()
    #expect(stat(socket, &status) == 0 && status.st_mode & 0o7777 == 0o600)
    try await untilItAnswers()
    #expect(
      try await user.kith("check alice.test bob.test --no-cache").rows(Check.self).first?.source == "appview")
    user.run.sandbox.follow(from: bob, to: alice)
    try await eventually { try await check().followedBy != nil }
    let second = try await user.kith("daemon")
    #expect(second.status == 75 && second.talk.contains("\(kith.process)"), "\(second.talk)")
    #expect(try await check().source == "daemon", "the second one has left the first one alone")
    let doctor = try await user.run.kith(
      "doctor", environment: user.environment.merging(["KITH_MESSAGES": "json"]) { $1 })
    #expect(try doctor.messages.contains { $0.code == "daemonState" })
    kith.send(SIGTERM)
    #expect(await kith.status() == 143)
    #expect(
      try KithMessage.all(in: await talk.readAll()).map(\.code) == ["streamConnected", "daemonSummary"])
    #expect(!FileManager.default.fileExists(atPath: socket))
    #expect(try await check().source == "appview")
  }

  /// A second after the question, the network is asked; a process that was stopped answers nothing.
  @Test func aStoppedDaemonHoldsNothingUp() async throws {
    let (kith, talk) = try await start()
    try await untilItAnswers()
    kith.send(SIGSTOP)
    #expect(try await check().source == "appview")
    #expect(try await user.kith("count alice.test bob.test carol.test").status == 0)
    kith.send(SIGCONT)
    try await untilItAnswers()
    kith.send(SIGTERM)
    #expect(await kith.status() == 143)
    _ = await talk.readAll()
  }

  @Test func aKilledDaemonHindersNeitherQuestionsNorTheNextOne() async throws {
    for number in 1...3 {
      let (kith, talk) = try await start()
      user.run.sandbox.follow(from: bob, to: alice)
      user.run.sandbox.unfollow(from: bob, to: alice)
      try await Task.sleep(for: .milliseconds(number * 20))
      kith.send(SIGKILL)
      _ = await kith.status()
      _ = await talk.readAll()
      #expect(FileManager.default.fileExists(atPath: socket))
      #expect(try await check().source == "appview")
    }
    let (kith, _) = try await start()
    try await eventually {
      let changes = try await user.kith("history alice.test").rows(Change.self).filter { $0.did == "\(bob)" }
      return changes.count { $0.kind == "lost" } == 3 && changes.count == 6
    }
    kith.interrupt()
    #expect(await kith.status() == 130)
    #expect(try await user.kith("db check").status == 0)
  }

  /// A file size limit simulates a full disk: SQLite only learns that writing failed.
  @Test func aFullDiskIsSaidAndLosesNothing() async throws {
    let (kith, talk) = try await start(
      ["KITH_TEST_SPEED": "100"], launcher: ["/bin/sh", "-c", #"trap '' XFSZ; exec "$0" "$@""#])
    func limitFiles(to bytes: String) throws {
      let program = Process()
      program.executableURL = URL(filePath: "/usr/bin/prlimit")
      program.arguments = ["--pid", "\(kith.process)", "--fsize=\(bytes):unlimited"]
      try program.run()
      program.waitUntilExit()
      try #require(program.terminationStatus == 0)
    }
    try limitFiles(to: "0")
    user.run.sandbox.follow(from: bob, to: alice)
    let said = Watched("")
    let reading = Task {
      while case let piece = await talk.read(), !piece.isEmpty { said.withLock { $0 += piece } }
    }
    // A snapshot may be due as well, and fails, too.
    await said.until { $0.contains(#""task":"stream""#) }
    try limitFiles(to: "unlimited")
    try await eventually {
      let changes = try await user.kith("history alice.test").rows(Change.self)
      return changes.contains { $0.kind == "gained" && $0.did == "\(bob)" }
    }
    kith.send(SIGTERM)
    #expect(await kith.status() == 143)
    await reading.value
    let messages = try KithMessage.all(in: said.withLock(\.self)).filter { $0.code == "daemonTaskFailed" }
    #expect(messages.count { $0.text("task") == "stream" } == 1, "\(said.withLock(\.self))")
  }

  @Test func theServiceManagerLearnsThatItIsReadyAndAlive() async throws {
    let path = "\(folder)/notify"
    let receiver = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    defer { close(receiver) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(receiver, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound)
    let (kith, _) = try await start(["NOTIFY_SOCKET": path])
    kith.send(SIGTERM)
    #expect(await kith.status() == 143)
    var told: [String] = []
    var bytes = [UInt8](repeating: 0, count: 1_000)
    while case let count = recv(receiver, &bytes, bytes.count, Int32(MSG_DONTWAIT)), count > 0 {
      told.append(String(decoding: bytes.prefix(count), as: UTF8.self))
    }
    #expect(told == ["READY=1", "WATCHDOG=1\nSTATUS=watching 1 account", "STOPPING=1"])
  }

  /// A path that is too long for a socket names the way out.
  @Test func aPathThatIsTooLongIsAnErrorWithAWayOut() async throws {
    let state = "\(folder)/\(String(repeating: "long", count: 30))"
    let run = try await user.run.kith(
      "daemon", environment: user.environment.merging(["XDG_STATE_HOME": state]) { $1 })
    #expect(run.status == 74 && run.talk.contains("XDG_STATE_HOME"), "\(run.talk)")
  }
}
