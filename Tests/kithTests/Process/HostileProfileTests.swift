// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Invalid responses to the existence check behind a row without relationships.
@Suite struct HostileProfileTests {
  private struct Row: Decodable {
    let state: String
    let error: String?
  }

  private static let target = HostileRun.targets[0]

  /// Checks a target without edges with these responses; the actor is checked in the same call.
  private func check(profiles: String, profile: String) async throws -> (KithRun, Row?) {
    let server = try HostileServer { head, connection in
      if head.contains("getRelationships") {
        let row = "{\"$type\":\"app.bsky.graph.defs#relationship\",\"did\":\"\(Self.target)\"}"
        connection.answer(HostileRun.body([row]))
      } else {
        connection.answer(head.contains("getProfiles") ? "{\"profiles\":\(profiles)}" : profile)
      }
    }
    let run = try await KithRun.inside([
      "check", HostileRun.actor, Self.target, "--verify", "--appview", server.url, "--format", "ndjson",
    ])
    withExtendedLifetime(server) {}
    return (run, try run.rows(Row.self).first)
  }

  private static let actor = profile(of: HostileRun.actor)
  private static let right = profile(of: target)
  private static let stranger = profile(of: HostileRun.stranger)

  private static func profile(of did: String) -> String { "{\"did\":\"\(did)\",\"handle\":\"a.test\"}" }

  @Test(arguments: ["[\(actor),\(right)]", "[\(actor),\(stranger)]", "[\(stranger),\(actor)]"])
  func unrequestedProfilesAreIgnored(profiles: String) async throws {
    let (run, row) = try await check(profiles: profiles, profile: Self.right)
    #expect(run.status == 0)
    #expect(row?.state == "known")
  }

  @Test func tooManyProfilesAreNoAnswer() async throws {
    let (run, row) = try await check(
      profiles: "[\(Self.actor),\(Self.right),\(Self.stranger)]", profile: "")
    #expect(run.status == 76)
    #expect(row == nil)
    let message = try #require(try run.messages.first)
    #expect(message.text("cause") == "json.tooLarge" && message.text("path") == "profiles[2]", "\(run.talk)")
  }

  @Test func anotherAccountsProfileIsNoAnswer() async throws {
    let (run, row) = try await check(profiles: "[\(Self.actor)]", profile: Self.stranger)
    #expect(run.status == 76)
    #expect(row?.state == "error")
    #expect(row?.error?.hasPrefix("app.bsky.actor.getProfile: did: ") == true)
    #expect(row?.error?.contains(HostileRun.stranger) == true)
  }

  @Test(arguments: [
    ("5", "profiles"), ("null", "profiles"), ("{}", "profiles"), ("[5]", "profiles[0]"),
    ("[{\"did\":5,\"handle\":\"a.test\"}]", "profiles[0].did"),
    ("[{\"did\":\"absent\",\"handle\":\"a.test\"}]", "profiles[0].did"),
    ("[{\"did\":\"\(target)\",\"handle\":[]}]", "profiles[0].handle"),
  ])
  func anInvalidProfileIsNoAnswer(profiles: String, path: String) async throws {
    let (run, row) = try await check(profiles: profiles, profile: Self.right)
    #expect(run.status == 76)
    #expect(row == nil)
    let message = try #require(try run.messages.first)
    #expect(message.text("method") == "app.bsky.actor.getProfiles")
    #expect(message.text("cause") == "lexicon.mismatch" && message.text("path") == path, "\(run.talk)")
  }
}
