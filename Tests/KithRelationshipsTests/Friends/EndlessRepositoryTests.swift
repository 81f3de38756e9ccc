// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The server of a stranger that never says that a listing ends.
@Suite struct EndlessRepositoryTests {
  private let bob = Accounts.did(2)

  /// Answers every page with another cursor, and with other rows or none.
  private func reader(_ rows: @escaping @Sendable (Int) -> String) throws -> (ScriptedTransport, Friendships)
  {
    let transport = ScriptedTransport { call in
      let page = RequestQuery(call)["cursor"].first.flatMap { Int($0) } ?? 0
      return TransportResponse(#"{"records":[\#(rows(page))],"cursor":"\#(page + 1)"}"#)
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      configuration: .init(retry: .never), time: ManualClock(.skipping).timeSource())
    return (transport, Friendships(Listings(client, repository: { _ in client })))
  }

  @Test func itsRequestsAreReadUpToABound() async throws {
    let (transport, friendships) = try reader { [bob] page in
      let other = Accounts.did(100 + page)
      let record = FriendRequestDraft().record(
        to: other, at: Datetime(at: Instant(microsecondsSinceEpoch: 0)))
      let json = (try? JSONCoding.encode(record)).map { String(decoding: $0, as: UTF8.self) } ?? ""
      return #"{"uri":"at://\#(bob)/\#(FriendRequest.collection)/\#(other)","value":\#(json)}"#
    }
    let error = await #expect(throws: RepositoryError.self) {
      try await friendships.reader(of: bob).hasRecords()
    }
    #expect(error?.code == .invalidResponse)
    let calls = transport.calls(of: "com.atproto.repo.listRecords")
    #expect((PaginationGuard.mostPagesOfFriends...PaginationGuard.mostPagesOfFriends + 1).contains(calls))
  }
}
