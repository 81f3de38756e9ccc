// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Who reacted to a post.
@Suite struct ReactionTests {
  /// An account may quote a post more than once, also on two pages; a row that comes again is dropped.
  @Test func quotesOfOneAccountOnTwoPagesAreCounted() async throws {
    let quotes = (0..<5).map { number in
      let author = Accounts.did([1, 2, 1, 1, 3][number])
      return
        #"{"uri":"at://\#(author)/app.bsky.feed.post/3jui7kd5410\#(number)y","author":{"did":"\#(author)","handle":"a.test"}}"#
    }
    let transport = ScriptedTransport { request in
      let isSecond = RequestQuery(request)["cursor"].first != nil
      // The pages overlap by one row.
      let rows = isSecond ? quotes[2...] : quotes[..<3]
      let cursor = isSecond ? "" : #","cursor":"next""#
      return TransportResponse(#"{"uri":"x","posts":[\#(rows.joined(separator: ","))]\#(cursor)}"#)
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never))
    let post = try ATURI(parsing: "at://\(Accounts.did(9))/app.bsky.feed.post/3jui7kd54zh2y")
    let listings = Listings(client, identities: IdentityDirectory(client: client)) { _ in client }
    var found: [DID] = []
    for try await view in listings.reactions(.quotes, to: post) { found.append(view.account) }
    #expect(found == [1, 2, 1, 1, 3].map(Accounts.did))
  }
}
