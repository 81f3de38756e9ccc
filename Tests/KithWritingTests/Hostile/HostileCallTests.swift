// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Every method that Kith calls, with every hostile shape of an answer, as large as the method's size limit
/// allows. `HostileMethodTests` measure what the same costs the command in memory.
@Suite struct HostileCallTests {
  @Test func everyMethodIsAttacked() {
    #expect(Set(HostileCall.all.map(\.method)) == Set(BoundedMethods.names))
  }

  @Test(arguments: HostileCall.all, CaseSample.of(HostileShape.allCases, one: 5))
  func aHostileShapeIsAClearError(call: HostileCall, shape: HostileShape) async throws {
    let bytes = try #require(BoundedMethods.bytes[call.method])
    let body = shape.body(of: call.list, bytes: bytes)
    let outcome = await call.run { _ in body }
    #expect(outcome.mostBytes == bytes && body.count <= bytes)
    // Malformed JSON is requested again, as often as any broken answer.
    #expect(1...16 ~= outcome.calls)
    let mayBeRead: Set<HostileShape> = [.longString, .longName, .hugeNumber]
    guard let error = outcome.error else {
      #expect(mayBeRead.contains(shape))
      return
    }
    let text = "\(error)"
    #expect(text.contains(call.method) && text.utf8.count < 2_048, "\(text)")
    #expect(
      error is XRPCError || error is RelationshipError || error is RepositoryError || error is IdentityError)
    if [.wrongElements, .emptyElements, .nestedElements].contains(shape) {
      #expect(outcome.fault?.isBeyondBounds == true, "\(error)")
      #expect(outcome.calls == 1)
    }
  }

  /// Exactly as many elements as allowed are read.
  @Test(arguments: HostileCall.all) func readsNoMoreElementsThanTheLimit(call: HostileCall) async throws {
    let bound = PosixMutex(Int.max)
    for excess in [0, 1] {
      let outcome = await call.run { _ in
        let most = Self.mostElements(of: call)
        bound.withLock { $0 = most }
        guard most < .max else { return Array("{}".utf8) }
        let elements = Array(repeating: "{}", count: most + excess).joined(separator: ",")
        return Array("{\"\(call.list)\":[\(elements)]}".utf8)
      }
      guard bound.withLock(\.self) < .max else { return }
      #expect((outcome.fault?.isBeyondBounds == true) == (excess > 0), "\(outcome)")
    }
  }

  /// What the calls above ask for: two accounts, or pages of a hundred.
  private static func mostElements(of call: HostileCall) -> Int {
    switch call.method {
    case "app.bsky.graph.getRelationships": 2
    case "app.bsky.actor.getProfiles": call.caller.hasPrefix("count") ? 1 : 2
    case "app.bsky.graph.getLists", "app.bsky.graph.getList", "app.bsky.graph.getFollows",
      "app.bsky.graph.getFollowers", "app.bsky.graph.getBlocks", "app.bsky.graph.getMutes",
      "com.atproto.repo.listRecords":
      400
    case "blue.microcosm.links.getBacklinks", "blue.microcosm.links.getManyToManyCounts": 4_000
    default: .max
    }
  }

  // MARK: Cursors

  private static let listings = HostileCall.all.filter {
    ["follows", "followers", "items", "blocks", "mutes", "lists", "records"].contains($0.list)
      && $0.method != "app.bsky.graph.getListMutes"
  }

  /// One element of each listing.
  private static func element(_ call: HostileCall, _ number: Int) -> String {
    let did = "\(Accounts.did(number))"
    let profile = "{\"did\":\"\(did)\",\"handle\":\"a.test\"}"
    return switch call.list {
    case "items": "{\"uri\":\"at://\(did)/app.bsky.graph.listitem/3k\",\"subject\":\(profile)}"
    case "lists":
      """
      {"uri":"at://\(did)/app.bsky.graph.list/3k","creator":\(profile),"name":"x",\
      "purpose":"app.bsky.graph.defs#modlist"}
      """
    case "records" where call.method == "blue.microcosm.links.getBacklinks":
      "{\"did\":\"\(did)\",\"collection\":\"app.bsky.graph.block\",\"rkey\":\"3k\"}"
    case "records": "{\"uri\":\"at://\(did)/app.bsky.graph.follow/3k\",\"value\":5}"
    default: profile
    }
  }

  private static func page(_ call: HostileCall, _ elements: [Int], cursor: String) -> [UInt8] {
    let elements = elements.map { element(call, $0) }.joined(separator: ",")
    return Array("{\"\(call.list)\":[\(elements)],\"cursor\":\"\(cursor)\"}".utf8)
  }

  /// The previous cursor, the same page under new cursors, empty pages under new cursors.
  @Test(arguments: listings) func endlessCursorsAreAnError(call: HostileCall) async throws {
    let pages: [(most: Int, page: @Sendable (Int) -> [UInt8])] = [
      (2, { Self.page(call, [$0], cursor: "x") }),
      (11, { Self.page(call, [1], cursor: "\($0)") }),
      (1_000, { Self.page(call, [], cursor: "\($0)") }),
      (1, { Self.page(call, [$0], cursor: String(repeating: "x", count: 4_096)) }),
    ]
    for (most, page) in pages {
      let outcome = await call.run(page)
      #expect(1...most ~= outcome.calls, "\(outcome.calls)")
      // A page of records without any is the end.
      if call.list == "records", outcome.calls == 1, most == 1_000 { continue }
      let text = "\(try #require(outcome.error))"
      #expect(text.contains(call.method) && text.contains("cursor") && text.utf8.count < 2_048, "\(text)")
    }
  }

  /// No account has a hundred thousand lists.
  @Test(arguments: listings.filter { $0.list == "lists" || $0.caller == "starter packs" })
  func limitsTheListsOfAnAccount(call: HostileCall) async throws {
    let outcome = await call.run { Self.page(call, [$0], cursor: "\($0)") }
    #expect(outcome.calls == 1_001)
    #expect("\(try #require(outcome.error))".contains("cursor"))
  }
}
