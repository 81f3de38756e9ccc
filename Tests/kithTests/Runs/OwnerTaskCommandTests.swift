// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// What owners, creators and list maintainers do most, compared with what the network itself says.
@Suite struct OwnerTaskCommandTests {
  private let user: InProcessUser
  private let alice: DID

  init() throws {
    user = try InProcessUser(accounts: 600)
    alice = try user.did("alice")
  }

  @discardableResult
  private func rows(_ words: String...) async throws -> [[String: String]] {
    let ending = try await user.kith(words)
    #expect(ending.status.rawValue == 0, "\(words.joined(separator: " ")): \(ending.talk)")
    return ending.rows
  }

  /// How alice is related to each account that servers show, by the edges of the network.
  private func truth(_ isWanted: (SandboxRelationship) -> Bool) -> Set<String> {
    let accounts = user.network.live.network.accounts.filter { $0.status == .active && $0.did != alice }
    let related = user.network.live.state { state in
      accounts.filter { isWanted(state.graph.relationship(of: alice, with: $0.did)) }
    }
    return Set(related.map(\.did.description))
  }

  private func isBlocked(_ related: SandboxRelationship) -> Bool {
    [related.blocking, related.blockedBy, related.blockingByList, related.blockedByList].contains {
      $0 != nil
    }
  }

  /// Alice's follow records, with their keys.
  private func follows() throws -> [String: DataValue] {
    let collection = try #require(NSID("app.bsky.graph.follow"))
    return Dictionary(
      uniqueKeysWithValues: user.network.live.records(of: alice, in: collection).map {
        ($0.key.description, $0.value)
      })
  }

  private func isActive(_ did: String) -> Bool {
    DID(did).flatMap { user.network.live.network.account($0) }?.status == .active
  }

  @Test func listingsAreThoseOfTheNetwork() async throws {
    try await rows("login", "alice.test")
    for (verb, isWanted) in [
      ("mutuals", { $0.following != nil && $0.followedBy != nil }),
      ("not-following-back", { $0.following != nil && $0.followedBy == nil }),
      // The AppView lists no followers behind a block; the command counts them.
      ("not-followed-back", { $0.following == nil && $0.followedBy != nil && !isBlocked($0) }),
    ] as [(String, (SandboxRelationship) -> Bool)] {
      let listed = Set(try await rows(verb).compactMap { $0.text("did") }.filter(isActive))
      #expect(
        listed == truth(isWanted) && listed.count > 10,
        "\(verb): missing \(truth(isWanted).subtracting(listed)), added \(listed.subtracting(truth(isWanted)))"
      )
    }
  }

  /// Accounts that did not follow back since a date are unfollowed, and an undo brings each record back, with its key and its date.
  @Test func unfollowsThoseWhoDidNotFollowBackSinceADateAndUndoesIt() async throws {
    try await rows("login", "alice.test")
    let before = try follows()
    let dates = before.values.compactMap { $0["createdAt"]?.string }.sorted()
    let middle = String(dates[dates.count / 2].prefix(10))
    let one = truth { $0.following != nil && $0.followedBy == nil }
    let expected = before.filter { _, value in
      one.contains(value["subject"]?.string ?? "") && (value["createdAt"]?.string ?? "") < middle
    }
    #expect(expected.count > 5)
    try await rows(
      "unfollow", "--not-following-back", "--where", "followed before \(middle) and status is active", "--yes"
    )
    let after = try follows()
    #expect(Set(before.keys).subtracting(after.keys) == Set(expected.keys))
    try await rows("undo", "--yes")
    #expect(try follows() == before)
  }

  /// The most followed followers that alice does not follow, by what the AppView itself counts.
  @Test func findsFollowersWorthFollowingBack() async throws {
    try await rows("login", "alice.test")
    struct Answer: Decodable {
      struct Profile: Decodable { let did: String, followersCount: Int? }
      let profiles: [Profile]
    }
    let candidates = truth { $0.following == nil && $0.followedBy != nil && !isBlocked($0) }.sorted()
    var counts: [String: Int] = [:]
    for place in stride(from: 0, to: candidates.count, by: 25) {
      let actors = candidates[place..<min(place + 25, candidates.count)].map { "actors=\($0)" }
      let ending = try await user.kith(["xrpc", "query", "app.bsky.actor.getProfiles"] + actors)
      let answer = try #require(ending.rows.first?["profiles"])
      for profile in try JSONDecoder().decode([Answer.Profile].self, from: Data(answer.utf8)) {
        counts[profile.did] = profile.followersCount
      }
    }
    let found = try await rows("not-followed-back", "--where", "followers > 5", "--sort", "followers")
      .compactMap { $0.text("did") }.filter(isActive)
    let worthy = Set(counts.filter { $0.value > 5 }.keys)
    #expect(
      Set(found) == worthy && found.count > 5,
      "missing \(worthy.subtracting(found)), added \(Set(found).subtracting(worthy))")
    #expect(found.compactMap { counts[$0] } == found.compactMap { counts[$0] }.sorted(by: >))
  }

  /// A list of an attack is blocked without friends who happen to be on it.
  @Test func blocksAWaveAndKeepsFriends() async throws {
    try await rows("login", "alice.test")
    let friends = truth { $0.following != nil && $0.blocking == nil }.sorted().prefix(3)
    let strangers = truth { $0.following == nil && $0.blocking == nil && $0.blockedBy == nil }.sorted()
      .prefix(20)
    let file = user.home.appending(path: "wave.csv").path()
    try ("account;note\n" + (friends + strangers).map { "\($0);spam\n" }.joined())
      .write(toFile: file, atomically: true, encoding: .utf8)
    try await rows("block", "--from", file, "--exclude-following", "--yes")
    #expect(truth { $0.blocking != nil }.isSuperset(of: strangers))
    #expect(truth { $0.blocking != nil }.isDisjoint(with: friends))
    #expect(truth { $0.following != nil }.isSuperset(of: friends))
    try await rows("undo", "--yes")
    #expect(truth { $0.blocking != nil }.isDisjoint(with: strangers))
  }

  /// A whole backup brings everything back that an accident removed, and nothing else.
  @Test func aBackupBringsEverythingBack() async throws {
    try await rows("login", "alice.test")
    try await rows("lists", "create", "Core", "--purpose", "curate", "--mutuals", "--yes")
    try await rows("block", "niaj.test", "--yes")
    try await rows("mute", "heidi.test")
    let file = user.home.appending(path: "me.csv").path()
    try await rows("export", "relationships", "-o", file)
    let followed = truth { $0.following != nil }
    let members = Set(try await rows("lists", "show", "Core").compactMap { $0.text("subject") })
    try await rows("unfollow", "--following", "--yes")
    try await rows("unblock", "niaj.test")
    try await rows("unmute", "heidi.test")
    try await rows("lists", "delete", "Core", "--yes")
    #expect(truth { $0.following != nil }.isEmpty)
    try await rows("import", file, "--yes")
    #expect(truth { $0.following != nil } == followed)
    #expect(truth { $0.blocking != nil }.contains(try user.did("niaj").description))
    #expect(Set(try await rows("lists", "show", "Core").compactMap { $0.text("subject") }) == members)
    #expect(try await rows("mutes").contains { $0.text("handle") == "heidi.test" })
    // A second import finds everything there.
    let again = try await rows("import", file, "--yes")
    #expect(Set(again.compactMap { $0.text("state") }) == ["unchanged"])
  }
}
