// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithRelationships
import KithWriting
import TestSupport
import Testing

extension LiveNetwork {
  /// 600 of alice's 702 followers, among them the 300 that she follows back.
  func sixHundredFollowersOfAlice() async throws -> [DID] {
    let followers = try await followers(of: "alice")
    try #require(followers.count >= 700)
    return Array(followers.suffix(600))
  }

  /// Accounts that only the AppView has, to be followed or blocked; the same for the same seed.
  func strangers(_ count: Int, seed: UInt64) async throws -> [String] {
    var generator = SeededGenerator(seed: seed)
    let known = try await followers(of: "erin").map(\.description).filter { $0.hasPrefix("did:plc:") }
      .sorted()
    try #require(known.count >= count)
    return Array(known.shuffled(using: &generator).prefix(count))
  }

  private func followers(of name: String) async throws -> [DID] {
    let client = XRPCClient(service: appview.url, transport: CurlTransport())
    return try await Self.settled {
      var followers: [DID] = []
      for try await follower in Listings(client).accounts(.followers(of: .did(try did(name)))) {
        followers.append(follower.account)
      }
      return followers
    }
  }

  /// Two readings did not agree, again and again.
  private struct NeverTheSame: Error {}

  /// Reads until two readings in a row agree: cursors of this AppView are places, so that a change of another suite in the
  /// middle of a listing moves its pages.
  static func settled<Value: Equatable>(_ read: () async throws -> Value) async throws -> Value {
    var last = try await read()
    for _ in 0..<20 {
      let next = try await read()
      if next == last { return next }
      last = next
    }
    throw NeverTheSame()
  }
}
