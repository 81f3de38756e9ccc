// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Whether the viewer mutes a target, with as few calls as possible.
@Suite struct MutingRelationshipSourceTests {
  private let viewer = Accounts.did(0)

  /// The result and the cost of a run.
  private struct Outcome {
    var muted: [Int: Bool] = [:]
    var calls: [String] = []
    var failures = 0
  }

  /// Queries accounts by number, in batches, in an AppView where some are muted.
  private func ask(
    _ batches: [Range<Int>], muted: Set<Int> = [], hasMutedList: Bool = false, hidden: Set<Int> = [],
    failing: Set<String> = [], as actor: DID? = nil,
    before: (Int, MutingRelationshipSource, ManualClock) -> Void = { _, _, _ in }
  ) async throws -> Outcome {
    let number = { @Sendable (did: String) in (0..<2_000).first { "\(Accounts.did($0))" == did } ?? -1 }
    let listed = muted.subtracting(hidden).sorted()
    let transport = ScriptedTransport { request in
      let query = RequestQuery(request)
      if failing.contains(query.method) { return .xrpcError(500, "InternalServerError", "no") }
      switch query.method {
      case "app.bsky.graph.getListMutes":
        let list =
          #"{"uri":"at://\#(Accounts.did(1))/app.bsky.graph.list/x","cid":"bafyreie5737gdxlw5i64vzichcalba3z2v5n6icifvx5xytvske7mr3hpm"}"#
        return TransportResponse(#"{"lists":[\#(hasMutedList ? list : "")]}"#)
      case "app.bsky.graph.getMutes":
        let start = query["cursor"].first.flatMap { Int($0) } ?? 0
        let end = min(listed.count, start + 100)
        let rows = listed[start..<end].map { #"{"did":"\#(Accounts.did($0))","handle":"a.test"}"# }
        let cursor = end < listed.count ? #","cursor":"\#(end)""# : ""
        return TransportResponse(#"{"mutes":[\#(rows.joined(separator: ","))]\#(cursor)}"#)
      default:
        let rows = query["actors"].filter { !hidden.contains(number($0)) }.map { did in
          #"{"did":"\#(did)","handle":"a.test","viewer":{"muted":\#(muted.contains(number(did)))}}"#
        }
        return TransportResponse(#"{"profiles":[\#(rows.joined(separator: ","))]}"#)
      }
    }
    let clock = ManualClock(.skipping)
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: clock.timeSource())
    let source = MutingRelationshipSource(ScriptedSource(), viewer: viewer, client: client)
    var outcome = Outcome()
    for (number, batch) in batches.enumerated() {
      before(number, source, clock)
      let findings = try await source.relationships(of: actor ?? viewer, with: Accounts.dids(batch))
      for (account, finding) in zip(batch, findings) {
        guard case .known(let info) = finding else { continue }
        outcome.muted[account] = info.muted
        if info.mutesFault != nil { outcome.failures += 1 }
      }
    }
    outcome.calls = transport.requests.map {
      RequestQuery($0).method.split(separator: ".").last.map(String.init) ?? ""
    }
    return outcome
  }

  private static let profiled = Array(repeating: "getProfiles", count: 7)

  @Test(arguments: [26, 31, 91, 101]) func readsTheProfilesOfAFewTargets(end: Int) async throws {
    let batches = stride(from: 1, to: end, by: 30).map { $0..<min($0 + 30, end) }
    let outcome = try await ask(batches, muted: [3, 9], hidden: [4])
    let calls = MutingRelationshipSource.profileCalls(for: end - 1, inBatchesOf: 30)
    #expect(outcome.calls == Array(repeating: "getProfiles", count: calls))
    #expect(outcome.muted.filter(\.value).keys.sorted() == [3, 9])
    // Unknown for an account that the AppView does not show.
    #expect(outcome.muted.count == end - 2 && outcome.muted[4] == nil)
  }

  @Test func readsTheMuteListOnceForManyTargets() async throws {
    let outcome = try await ask([1..<31, 31..<61, 61..<91, 91..<101, 101..<131, 131..<161], muted: [3, 140])
    #expect(outcome.calls == Self.profiled + ["getListMutes", "getMutes"])
    #expect(outcome.muted.count == 160 && outcome.muted.filter(\.value).keys.sorted() == [3, 140])
  }

  /// Members of a muted list are not in the list of mutes, and a very long list costs more than profiles.
  @Test(arguments: [
    (true, 2, ["getListMutes"]), (false, 1_500, ["getListMutes"] + Array(repeating: "getMutes", count: 10)),
  ])
  func readsProfilesIfTheListIsIncomplete(hasMutedList: Bool, mutes: Int, before: [String]) async throws {
    let outcome = try await ask(
      [1..<31, 31..<61, 61..<91, 91..<101, 101..<126], muted: Set(1..<mutes), hasMutedList: hasMutedList)
    #expect(outcome.calls == Self.profiled + before + ["getProfiles"])
    #expect(outcome.muted.count == 125 && outcome.muted[1] == true)
  }

  @Test func isUnknownIfNothingCanBeRead() async throws {
    let outcome = try await ask(
      [1..<31, 31..<151], failing: ["app.bsky.actor.getProfiles", "app.bsky.graph.getListMutes"])
    #expect(outcome.muted.isEmpty && outcome.failures == 150)
  }

  /// In a process that lives for days, an account unmutes others elsewhere; and a list that it mutes here is in the answers
  /// at once.
  @Test(arguments: [true, false]) func forgetsTheMuteList(isTold: Bool) async throws {
    let outcome = try await ask([1..<151, 151..<181, 181..<191, 1..<151], muted: [3]) {
      number, source, clock in
      switch number {
      case 1: clock.advance(by: .seconds(299))
      case 2: if isTold { source.forget() } else { clock.advance(by: .seconds(1)) }
      default: break
      }
    }
    let list = ["getListMutes", "getMutes"]
    #expect(outcome.calls == list + ["getProfiles"] + list)
    #expect(outcome.muted[3] == true && outcome.muted[181] == false && outcome.failures == 0)
  }

  @Test func readsNoMutesOfOtherActors() async throws {
    let outcome = try await ask([1..<31], as: Accounts.did(77))
    #expect(outcome.calls.isEmpty && outcome.muted.isEmpty)
  }
}
