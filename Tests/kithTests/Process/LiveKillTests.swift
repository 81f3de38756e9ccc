// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox

/// `kith live` that is killed at any moment.
@Suite(.timeLimit(.minutes(1))) struct LiveKillTests {
  @Test func aKilledReaderEndsInTheSameGraph() async throws {
    try await LiveKill(kills: 5, events: 20_000, seed: 1).run()
  }
}

/// The same, for longer.
@Suite struct LiveKillLongTests {
  @Test func aKilledReaderEndsInTheSameGraph() async throws {
    try await LiveKill(kills: 50, events: 4_500_000, seed: 2).run()
  }
}

/// A reader of a stream that is killed while accounts follow and unfollow.
private struct LiveKill {
  private struct Row: Decodable { let side: String?, gained: Int?, lost: Int?, unconfirmed: Int? }

  private struct Pair: Hashable { let account, subject: DID }

  let kills: Int
  let events: Int
  let seed: UInt64

  func run() async throws {
    let user = try await SignedInRun(at: try await SandboxRun(accounts: 500))
    let sandbox = user.run.sandbox
    let alice = try #require(sandbox.network.account(Handle(parsing: "alice.test"))).did
    // A list hides it: after it follows, a question finds that out, and with it those before are answered.
    let hidden = try #require(sandbox.network.account(Handle(parsing: "heidi.test"))).did
    let others = sandbox.network.accounts.filter { $0.status == .active }.map(\.did)
      .filter { $0 != alice && $0 != hidden }
    var follows: [Pair: Bool] = [:]
    let environment = user.environment.merging(["KITH_TEST_SPEED": "1"]) { _, new in new }
    var random = SeededGenerator(seed: seed)
    // The first reads the listings, so that the others begin with events.
    #expect(try await user.kith("snapshot alice.test --full").status == 0)
    for turn in 0...kills {
      let part = events / (kills + 1)
      let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
      let kith = try RunningKith(
        ["live", "alice.test", "--quiet", "--fields", "event,did"], environment: environment,
        streams: [input.far, output.far, talk.far])
      for stream in [input, output, talk] { close(stream.far) }
      let told = Watched("")
      let reading = Task {
        while case let piece = await output.read(), !piece.isEmpty { told.withLock { $0 += piece } }
      }
      for number in 0..<part {
        let account = others[Int.random(in: 0..<others.count, using: &random)]
        // One event in ten concerns alice; the others are the network.
        let subject = number % 10 == 0 ? alice : others[Int.random(in: 0..<others.count, using: &random)]
        let pair = Pair(account: account, subject: subject)
        // A second record for one account would be asked about for a while.
        if follows[pair] != false { sandbox.unfollow(from: account, to: subject) }
        if follows[pair] != true { sandbox.follow(from: account, to: subject) }
        follows[pair] = follows[pair] != true
        if number % 500 == 0 { await Task.yield() }
      }
      if turn < kills {
        try await Task.sleep(for: .milliseconds(Int.random(in: 0...300, using: &random)))
        kith.send(SIGKILL)
      } else {
        sandbox.follow(from: hidden, to: alice)
        await told.until { $0.contains("\"lost\",\"did\":\"\(hidden)\"") }
        kith.interrupt()
      }
      _ = await kith.status()
      await reading.value
    }
    let end = try await user.kith("snapshot alice.test --full")
    let rows = try end.rows(Row.self).filter { $0.side == "followers" || $0.side == "follows" }
    #expect(
      rows.count == 2 && rows.allSatisfy { $0.gained == 0 && $0.lost == 0 && $0.unconfirmed == 0 },
      "\(end.output)")
    #expect(try await user.kith("db check").status == 0)
  }
}
