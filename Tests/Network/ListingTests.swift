// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithRelationships
import KithWriting
import TestSupport
import Testing

/// Listings of an AppView that sends short and empty pages before the end (Q11).
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct ListingTests {
  @Test func readsFollowersOverShortAndEmptyPages() async throws {
    let network = try await LiveNetwork.populated().network
    let client = XRPCClient(service: network.appviewShortPages.url, transport: CurlTransport())
    let alice = ATIdentifier.did(try network.did("alice"))
    let pages = try await LiveNetwork.settled { try await pagesOfFollowers(of: alice, client) }
    try #require(
      pages.dropLast().contains { $0.isEmpty }, "the AppView has to send an empty page before the last")

    let listed = try await LiveNetwork.settled {
      var listed: [DID] = []
      for try await follower in Listings(client).accounts(.followers(of: alice)) {
        listed.append(follower.account)
      }
      return listed
    }

    // Others may follow between the two.
    let after = try await LiveNetwork.settled { try await pagesOfFollowers(of: alice, client) }
    #expect([pages, after].map { $0.flatMap(\.self) }.contains(listed))
    #expect(listed.count > 500)
  }

  /// The pages one by one, until there is no cursor.
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

/// The listings of the command, with servers that we did not write.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct ListingVerbTests {
  private struct Row: Decodable {
    let did: String, handle: String?, since: String?, record: String?, followers: Int?, status: String?
  }

  @Test func followersAndMutualsOfAliceAddUp() async throws {
    let dave = try await Person.signedIn(as: "dave", to: try await LiveNetwork.populated().network)
    defer { dave.end() }
    func rows(_ line: String) async throws -> [Row] {
      let run = try await dave.kith(line)
      #expect(run.status == 0, "\(line): \(run.talk)")
      return try run.rows(Row.self)
    }
    let followers = try await rows("followers alice.test")
    #expect(followers.count > 500 && Set(followers.map(\.did)).count == followers.count)
    #expect(followers.allSatisfy { $0.handle != nil })
    let mutuals = try await rows("mutuals alice.test")
    let strangers = try await rows("not-followed-back alice.test")
    #expect(mutuals.count >= 300)
    #expect(Set(strangers.map(\.did)).isDisjoint(with: Set(mutuals.map(\.did))))
    // Other suites follow, unfollow and block meanwhile: who was a follower before and after is in one of the two.
    let before = Set(followers.map(\.did))
    let after = Set(try await rows("followers alice.test").map(\.did))
    let both = Set((mutuals + strangers).map(\.did))
    #expect(both.isSuperset(of: before.intersection(after)) && both.isSubset(of: before.union(after)))
    let dated = try await rows("followers alice.test --dates --limit 40")
    #expect(dated.count == 40 && dated.count { $0.record != nil && $0.since != nil } > 30)
    let some = try await rows("followers alice.test --filter SYNTH12")
    #expect(!some.isEmpty && some.allSatisfy { $0.handle?.contains("synth12") == true })
  }

  @Test func followsAndBlocksComeFromTheRepositoryAtOnce() async throws {
    let dave = try await Person.signedIn(as: "dave", to: try await LiveNetwork.populated().network)
    defer { dave.end() }
    for line in ["follow synth630.test synth631.test", "block synth632.test --yes"] {
      #expect(try await dave.kith(line).status == 0)
    }
    let follows = try await dave.kith("following --status")
    #expect(follows.status == 0, "\(follows.talk)")
    let rows = try follows.rows(Row.self).filter { ["synth630.test", "synth631.test"].contains($0.handle) }
    #expect(rows.count == 2 && rows.allSatisfy { $0.since != nil && $0.status == "active" })
    let blocks = try await dave.kith("blocks")
    #expect(try blocks.rows(Row.self).contains { $0.handle == "synth632.test" && $0.since != nil })
    let undone = try await dave.kith("unfollow --not-following-back --yes")
    #expect(undone.status == 0, "\(undone.talk)")
    #expect(try undone.changes().contains { $0.input == "synth630.test" && $0.state == "done" })
    let left = try await dave.kith("not-following-back")
    #expect(try left.rows(Row.self).allSatisfy { $0.handle != "synth630.test" })
  }
}
