// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import CurlTransport
import RelationshipWriting
import Relationships
import Testing

extension LiveNetwork {
  /// 600 of alice's 702 followers, among them the 300 that she follows back.
  func sixHundredFollowersOfAlice() async throws -> [DID] {
    let client = XRPCClient(service: appview.url, transport: CurlTransport())
    var followers: [DID] = []
    for try await follower in Listings(client).accounts(.followers(of: .did(try did("alice")))) {
      followers.append(follower.account)
    }
    try #require(followers.count >= 700)
    return Array(followers.suffix(600))
  }
}
