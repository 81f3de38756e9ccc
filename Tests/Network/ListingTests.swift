// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import ATProtoLexicons
import CurlTransport
import RelationshipWriting
import Relationships
import Testing

/// Listings of an AppView that sends short and empty pages although more follow (Q11).
@Suite(.enabled(if: LiveNetwork.isUp), .timeLimit(.minutes(2)))
struct ListingTests {
  @Test func readsFollowersOverShortAndEmptyPages() async throws {
    let network = try await LiveNetwork.populated().network
    let client = XRPCClient(service: network.appviewShortPages.url, transport: CurlTransport())
    let alice = ATIdentifier.did(try network.did("alice"))
    let pages = try await pagesOfFollowers(of: alice, client)
    try #require(
      pages.dropLast().contains { $0.isEmpty }, "the AppView has to send an empty page before the last")

    var listed: [DID] = []
    for try await follower in Listings(client).accounts(.followers(of: alice)) {
      listed.append(follower.account)
    }

    #expect(listed == pages.flatMap(\.self))
    #expect(listed.count > 500)
  }

  /// The pages one by one, for as long as there is a cursor.
  private func pagesOfFollowers(of actor: ATIdentifier, _ client: XRPCClient) async throws -> [[DID]] {
    typealias Method = App.Bsky.Graph.GetFollowers
    var pages: [[DID]] = []
    var cursor: String?
    repeat {
      let page = try await client.query(
        Method.self, Method.Parameters(actor: actor, limit: 100, cursor: cursor))
      pages.append(page.followers.map(\.did))
      cursor = page.cursor
    } while cursor != nil
    return pages
  }
}
