// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox

/// `kith live` and `kith notifications --live` with a pipe and signals.
@Suite(.timeLimit(.minutes(1))) struct LiveProcessTests {
  private struct Row: Decodable { let event: String?, handle: String?, cause: String? }

  /// A row is written as soon as it is known, and Ctrl-C ends it with a summary.
  @Test func tellsUntilItIsInterrupted() async throws {
    let user = try await SignedInRun(at: try await SandboxRun(accounts: 100))
    let sandbox = user.run.sandbox
    let alice = try #require(sandbox.network.account(Handle(parsing: "alice.test"))).did
    let bob = try #require(sandbox.network.account(Handle(parsing: "bob.test"))).did
    sandbox.unfollow(from: bob, to: alice)
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["live", "alice.test"],
      environment: user.environment.merging(["KITH_MESSAGES": "json", "KITH_TEST_SPEED": "1"]) { _, new in new
      },
      streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    try await eventually { sandbox.stream.waiterCount == 1 }
    sandbox.follow(from: bob, to: alice)
    let first = await output.read()
    #expect(try JSONDecoder().decode(Row.self, from: Data(first.utf8)).event == "gained")
    sandbox.unfollow(from: bob, to: alice)
    #expect(await output.read().contains("\"cause\":\"unfollowed\""))
    kith.interrupt()
    #expect(await kith.status() == 130)
    let messages = try KithMessage.all(in: await talk.readAll())
    #expect(messages.map(\.code) == ["streamConnected", "liveSummary"])
    #expect(messages.last?.number("rows") == 2)
    try await eventually { sandbox.stream.waiterCount == 0 }
  }

  private struct Notification: Decodable { let handle: String? }

  @Test func listsNewNotificationsUntilItIsInterrupted() async throws {
    let user = try await SignedInRun(at: try await SandboxRun(accounts: 100))
    let sandbox = user.run.sandbox
    let alice = try #require(sandbox.network.account(Handle(parsing: "alice.test"))).did
    let bob = try #require(sandbox.network.account(Handle(parsing: "bob.test"))).did
    sandbox.unfollow(from: bob, to: alice)
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["notifications", "--live", "--kind", "follow"],
      environment: user.environment.merging(["KITH_MESSAGES": "json", "KITH_TEST_SPEED": "50"]) { _, new in
        new
      },
      streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    try await eventually { sandbox.stream.waiterCount == 1 }
    sandbox.follow(from: bob, to: alice)
    var rows = ""
    while !rows.contains("bob.test") { rows += await output.read() }
    let last = try #require(rows.split(separator: "\n").last)
    #expect(try JSONDecoder().decode(Notification.self, from: Data(last.utf8)).handle == "bob.test")
    kith.interrupt()
    #expect(await kith.status() == 130)
    let messages = try KithMessage.all(in: await talk.readAll())
    // With shortened waits, a machine that is busy looks like a stream that is silent.
    #expect(messages.map(\.code).filter { $0 != "streamBroken" } == ["notificationsRead"])
  }
}
