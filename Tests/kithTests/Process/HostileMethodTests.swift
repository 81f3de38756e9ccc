// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

/// Commands with a hostile response to one method end with a message and in bounded memory. A sample;
/// ``HostileMethodLongTests`` has all, with every shape.
@Suite struct HostileMethodTests {
  /// A command, and the method with the hostile response.
  struct Attacked: Sendable, CustomStringConvertible {
    let method: String
    /// The attacked member of the response.
    let list: String
    let line: String
    var isSignedIn = false

    var description: String { "\(line) under \(method)" }
  }

  private static let (alice, stranger) = (HostileRun.actor, HostileRun.stranger)
  private static let list = "at://\(stranger)/app.bsky.graph.list/3k2a"

  static let all: [Attacked] = [
    Attacked(
      method: "app.bsky.graph.getRelationships", list: "relationships", line: "check \(alice) \(stranger)"),
    Attacked(
      method: "app.bsky.actor.getProfiles", list: "profiles", line: "check \(alice) \(stranger) --verify"),
    Attacked(
      method: "app.bsky.actor.getProfile", list: "viewer", line: "check \(alice) \(stranger) --verify"),
    Attacked(
      method: "app.bsky.graph.getFollows", list: "follows", line: "check alice.test --follows-of alice.test"),
    Attacked(
      method: "app.bsky.graph.getFollowers", list: "followers",
      line: "check alice.test --followers-of alice.test"),
    Attacked(method: "app.bsky.graph.getList", list: "items", line: "check alice.test --list \(list)"),
    Attacked(method: "app.bsky.graph.getLists", list: "lists", line: "lists --of alice.test"),
    Attacked(method: "com.atproto.repo.listRecords", list: "records", line: "starter-packs --of alice.test"),
    Attacked(
      method: "com.atproto.repo.getRecord", list: "value",
      line: "starter-packs show https://bsky.app/starter-pack/alice.test/3k2yihcrp6f2c"),
    Attacked(method: "com.atproto.identity.resolveHandle", list: "did", line: "resolve nobody.test"),
    Attacked(
      method: "com.atproto.server.createSession", list: "didDoc", line: "login alice.test", isSignedIn: true),
    Attacked(
      method: "com.atproto.repo.applyWrites", list: "results", line: "follow heidi.test", isSignedIn: true),
    Attacked(
      method: "com.atproto.moderation.createReport", list: "subject",
      line: "report mallory.test --reason spam --yes", isSignedIn: true),
    Attacked(method: "app.bsky.graph.muteActor", list: "x", line: "mute heidi.test", isSignedIn: true),
    Attacked(method: "app.bsky.graph.muteActorList", list: "x", line: "mute-list \(list)", isSignedIn: true),
    Attacked(method: "com.atproto.server.deleteSession", list: "x", line: "logout", isSignedIn: true),
  ]

  /// Methods whose responses are ignored and not awaited.
  private static let ignored: Set<String> = [
    "app.bsky.graph.muteActor", "app.bsky.graph.muteActorList", "com.atproto.server.deleteSession",
  ]

  private static let sample: Set<String> = [
    "app.bsky.graph.getFollowers", "com.atproto.server.createSession",
  ]

  @Test(arguments: all.filter { sample.contains($0.method) })
  func aFloodOfElementsEndsWithAMessage(attacked: Attacked) async throws {
    try await Self.expectBounded(attacked, [.wrongElements], [0])
  }

  /// - Parameter sizes: the sizes of the responses in bytes; zero for the limit of the method.
  static func expectBounded(_ attacked: Attacked, _ shapes: [HostileShape], _ sizes: [Int]) async throws {
    let most = try #require(BoundedMethods.bytes[attacked.method])
    for shape in shapes {
      for bytes in sizes.map({ $0 == 0 ? most : $0 }) {
        let network = try await HostileNetwork()
        if attacked.isSignedIn { try await network.signIn() }
        let run = try await network.kith(
          attacked.line, under: attacked.method, answering: shape.body(of: attacked.list, bytes: bytes))
        run.expect(run.status)
        let text = run.messages.map(\.text).joined(separator: "\n")
        if !ignored.contains(attacked.method),
          [.wrongElements, .emptyElements, .nestedElements].contains(shape)
        {
          #expect(run.status != 0 && text.contains(attacked.method), "\(shape): \(text)")
        }
      }
    }
  }
}

/// Every shape for each command, at the size limit of the method and at the largest response size.
@Suite struct HostileMethodLongTests {
  @Test(arguments: HostileMethodTests.all) func everyShapeIsBounded(
    attacked: HostileMethodTests.Attacked
  ) async throws {
    try await HostileMethodTests.expectBounded(attacked, HostileShape.allCases, [0, 15 << 20])
  }
}
