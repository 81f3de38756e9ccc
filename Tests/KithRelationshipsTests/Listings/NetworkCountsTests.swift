// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@Suite struct NetworkCountsTests {
  @Test(arguments: [(Int.max, 1_000_000_000), (Int.min, 0), (-1, 0), (312, 312)])
  func countsOfAServerSaturate(count: Int, taken: Int) async throws {
    let list = try #require(ATURI("at://\(Accounts.did(0))/app.bsky.graph.list/3k2a"))
    let transport = ScriptedTransport { request in
      TransportResponse(
        RequestQuery(request).method == "app.bsky.graph.getList"
          ? #"{"list":{"listItemCount":\#(count)},"items":[]}"#
          : #"{"profiles":[{"did":"\#(Accounts.did(0))","handle":"a.test","followsCount":\#(count),"followersCount":\#(count)}]}"#
      )
    }
    let client = XRPCClient(service: try ServiceURL(parsing: "https://appview.test"), transport: transport)
    let actor = ATIdentifier.did(Accounts.did(0))
    let counts = try await NetworkCounts(client: client).entries(
      of: [.follows(of: actor), .followers(of: actor), .members(of: list)])
    #expect(counts == [taken, taken, taken])
  }
}
