// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

/// A listing that does not end (Q11), with otherwise valid responses. `HostileRowTests` has the other ways.
@Suite struct HostileListingTests {
  private struct Row: Decodable {
    let target: String?
    let state: String
    let following: String?
  }

  @Test func aRepeatedCursorEndsTheListing() async throws {
    let accounts = (1...10).map { Accounts.did($0).description }
    let profiles = accounts.map { "{\"did\":\"\($0)\",\"handle\":\"handle.invalid\"}" }
    let page = """
      {"subject":{"did":"\(HostileRun.stranger)","handle":"handle.invalid"},\
      "followers":[\(profiles.joined(separator: ","))],"cursor":"1"}
      """
    let network = ScriptedTransport { request in
      let query = RequestQuery(request)
      guard query.method == "app.bsky.graph.getRelationships" else { return TransportResponse(page) }
      let rows = query["others"].map { target in
        """
        {"$type":"app.bsky.graph.defs#relationship","did":"\(target)",\
        "following":"at://\(HostileRun.actor)/app.bsky.graph.follow/x"}
        """
      }
      return TransportResponse(HostileRun.body(rows))
    }
    let run = try await KithRun.inside(
      ["check", HostileRun.actor, "--followers-of", HostileRun.stranger, "--format", "ndjson"],
      network: network)
    #expect(run.status == 76)
    let message = try #require(try run.messages.last)
    #expect(message.code == "relationship.invalidResponse" && message.text("path") == "cursor", "\(run.talk)")
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.target) == accounts)
    #expect(rows.allSatisfy { $0.state == "known" && $0.following != nil })
    #expect(network.calls(of: "app.bsky.graph.getFollowers") == 2)
  }
}
