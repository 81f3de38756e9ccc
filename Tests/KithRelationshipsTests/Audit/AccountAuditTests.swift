// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What an audit finds, and what it does not conclude.
@Suite struct AccountAuditTests {
  private typealias Kind = AuditFinding.Kind

  private static let follow = "app.bsky.graph.follow"

  private let double: FollowersDouble

  init() throws {
    double = try FollowersDouble()
    double.change { state in
      state.documents[0] = Self.document(handle: "user0.test")
      state.answers["com.atproto.sync.getRepoStatus"] = TransportResponse(
        #"{"did":"\#(FollowersDouble.actor)","active":true}"#)
      for method in ["getListBlocks", "getListMutes"] {
        state.answers["app.bsky.graph.\(method)"] = TransportResponse(#"{"lists":[]}"#)
      }
    }
  }

  private static func document(handle: String?, pds: String = "https://appview.test") -> String {
    let names = handle.map { #""at://\#($0)""# } ?? ""
    let service =
      ##"{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"\##(pds)"}"##
    return
      #"{"id":"\#(FollowersDouble.actor)","alsoKnownAs":[\#(names)],"service":[\#(service)]}"#
  }

  /// Adds follows with old records that the AppView knows.
  private func follow(_ numbers: Int..., standing: FollowersDouble.Standing = .follows) {
    double.change { state in
      for number in numbers {
        let key = Self.key(of: number)
        state.put(Self.follow, key, number)
        state.accounts[number] = standing
        state.following[number] = key
      }
    }
  }

  private static func key(of number: Int, at moment: Instant = 1_700_000_000_000_000) -> String {
    "\(TID(at: moment + Int64(number), clockID: 0))"
  }

  @discardableResult
  private func examine(
    _ kinds: Set<AuditFinding.Kind> = Set(Kind.allCases), inactiveFor: Duration = .seconds(86_400)
  ) async throws -> (findings: [AuditFinding], coverage: AuditCoverage) {
    var findings: [AuditFinding] = []
    let audit = AccountAudit(
      of: FollowersDouble.actor, pds: double.client, listings: double.listings, own: double.listings)
    let coverage = try await audit.run(.init(kinds: kinds, inactiveFor: inactiveFor)) { findings += $0 }
    return (findings, coverage)
  }

  private func numbers(_ findings: [AuditFinding], _ kind: AuditFinding.Kind) -> [DID?] {
    findings.filter { $0.kind == kind }.map(\.subject?.account)
  }

  // MARK: Follows

  @Test func findsNothingInAHealthyAccount() async throws {
    follow(1, 2, 3)
    let (findings, coverage) = try await examine(Set(Kind.allCases).subtracting([.inactive]))
    #expect(findings == [] && coverage.faults.isEmpty && coverage.undecided == 0)
    #expect(coverage.follows == 3)
  }

  @Test(
    arguments: [
      (.blocks, [.blocker]), (.blocksByList, [.blocker]), (.blockedByActor, [.blocked]),
      (.deactivated, [.deactivated]), (.takenDown, [.suspended]), (.suspendedAtServer, [.suspended]),
      (.deleted, [.deleted]),
    ] as [(FollowersDouble.Standing, [AuditFinding.Kind])])
  func reportsWhyAFollowIsNotListed(
    standing: FollowersDouble.Standing, kinds: [AuditFinding.Kind]
  ) async throws {
    follow(1, 2)
    follow(3, standing: standing)
    double.change { $0.answers["com.atproto.sync.getRepoStatus"] = nil }
    let (findings, coverage) = try await examine(Kind.ofFollows.subtracting([.inactive]))
    #expect(findings.map(\.kind) == kinds && findings.map(\.subject?.account) == [Accounts.did(3)])
    #expect(
      findings.first?.records.map { "\($0)" } == [
        "at://\(FollowersDouble.actor)/\(Self.follow)/\(Self.key(of: 3))"
      ])
    #expect(coverage.undecided == 0)
  }

  @Test func reportsAGhostOnlyIfTheRecordIsMissing() async throws {
    follow(1)
    double.change { state in
      // 2 was followed after the records were listed: the lookup finds its record.
      for number in [2, 3] {
        state.accounts[number] = .follows
        state.following[number] = Self.key(of: number)
      }
      state.late[Self.key(of: 2)] =
        #"{"$type":"\#(Self.follow)","subject":"\#(Accounts.did(2))","createdAt":"2025-01-01T00:00:00Z"}"#
    }
    let (findings, _) = try await examine([.ghost])
    #expect(findings.map(\.subject?.account) == [Accounts.did(3)])
    #expect(findings.first?.records.first?.recordKey?.description == Self.key(of: 3))
  }

  @Test func reportsAFollowAsUnindexedOnlyAfterAnHour() async throws {
    let now = double.client.time.instant
    double.change { state in
      for (number, age) in [(1, 7_200), (2, 60)] {
        state.put(Self.follow, Self.key(of: number, at: now - Int64(age) * 1_000_000), number)
        state.accounts[number] = .unfollowed
      }
    }
    let (findings, coverage) = try await examine([.unindexed])
    #expect(numbers(findings, .unindexed) == [Accounts.did(1)])
    #expect(coverage.undecided == 1)
  }

  @Test(arguments: ["app.bsky.graph.getRelationships", "app.bsky.actor.getProfiles"])
  func concludesNothingFromAFailedCall(method: String) async throws {
    follow(1)
    follow(2, standing: .deleted)
    double.change { $0.failing = [method] }
    let (findings, coverage) = try await examine([.deleted, .unindexed, .blocker])
    if method.hasSuffix("getProfiles") {
      #expect(findings == [] && coverage.undecided == 1 && coverage.undecidedFault != nil)
    } else {
      #expect(findings.map(\.kind) == [.deleted] && coverage.undecidedFault != nil)
    }
  }

  @Test func doesNotReportAnOutageAsLostAccounts() async throws {
    follow(1, 2)
    double.change { $0.accounts[2] = .unknownToAppView }
    double.change { $0.failing = ["com.atproto.sync.getRepoStatus"] }
    let (findings, coverage) = try await examine([.deleted, .suspended, .deactivated])
    #expect(findings == [] && coverage.undecided == 1)
  }

  @Test func findsDuplicatesAndSelfFollows() async throws {
    follow(1)
    double.change { state in
      state.put(Self.follow, Self.key(of: 900), 1)
      state.put(Self.follow, Self.key(of: 901), 0)
      state.put("app.bsky.graph.block", Self.key(of: 902), 0)
      state.put("app.bsky.graph.block", Self.key(of: 903), 5)
      state.put("app.bsky.graph.block", Self.key(of: 904), 5)
    }
    let (findings, _) = try await examine([.duplicate, .selfEdge])
    #expect(findings.map(\.kind) == [.duplicate, .selfEdge, .duplicate, .selfEdge])
    #expect(findings.map { $0.records.count } == [2, 1, 2, 1])
    #expect(findings[0].records.first?.recordKey?.description == Self.key(of: 1))
    #expect(findings[0].edge?.account == Accounts.did(1) && findings[0].edge?.collection == .follow)
  }

  @Test func findsInactiveAccountsByTheirRepositories() async throws {
    follow(1, 2, 3, 4)
    let now = double.client.time.instant
    double.change { state in
      state.revisions[1] = TID(at: now - 3 * 86_400_000_000, clockID: 0)
      state.revisions[2] = TID(at: now - 3_600_000_000, clockID: 0)
      // A sequence number in the format of a timestamp.
      state.revisions[3] = TID(at: 12_345, clockID: 0)
      for number in [1, 2, 3, 4] {
        state.documents[number] = Self.document(handle: nil).replacing(
          "\(FollowersDouble.actor)", with: "\(Accounts.did(number))")
      }
    }
    let (findings, coverage) = try await examine([.inactive])
    #expect(numbers(findings, .inactive) == [Accounts.did(1)])
    #expect(findings.first?.since?.instant == now - 3 * 86_400_000_000)
    #expect(coverage.undecided == 2 && coverage.undecidedFault == nil)
    double.change { $0.failing = ["com.atproto.sync.getLatestCommit"] }
    let (none, outage) = try await examine([.inactive])
    #expect(none.isEmpty && outage.undecided == 4 && outage.undecidedFault != nil)
  }

  @Test func looksUpOnlyAccountsThatTheAppViewLeavesOut() async throws {
    for number in 1...250 { follow(number) }
    follow(251, standing: .blocks)
    _ = try await examine([.blocker, .deleted])
    let calls = Dictionary(grouping: double.calls(), by: \.self).mapValues(\.count)
    #expect(calls["getFollows"] == 3 && calls["listRecords"] == 3)
    #expect(calls["getRelationships"] == 1 && calls["getProfiles"] == 1)
  }

  @Test func aFailingPartDoesNotStopTheOthers() async throws {
    follow(1)
    double.change { state in
      state.failing = ["app.bsky.graph.getFollows"]
      state.put("app.bsky.graph.block", Self.key(of: 902), 0)
    }
    let (findings, coverage) = try await examine([.blocker, .selfEdge])
    #expect(findings.map(\.kind) == [.selfEdge])
    #expect(coverage.faults.map(\.part) == [.follows])
  }

  // MARK: Lists

  @Test func findsBlocksOfDeletedLists() async throws {
    let block = "app.bsky.graph.listblock"
    let owned = "at://\(FollowersDouble.actor)/app.bsky.graph.list/3jui7kd54zh2y"
    double.change { state in
      for (number, list) in [
        owned, "at://\(Accounts.did(7))/app.bsky.graph.list/3jui7kd54zh2y",
        "at://\(Accounts.did(8))/app.bsky.graph.list/3jui7kd54zh2y",
      ].enumerated() {
        let value = #"{"$type":"\#(block)","subject":"\#(list)","createdAt":"2025-01-01T00:00:00Z"}"#
        state.records[block, default: []].append((Self.key(of: number), value))
      }
      // The directory no longer knows 7; 8 exists, and so does its list.
      state.accounts[7] = .deleted
      state.accounts[8] = .unknownToAppView
      state.answers["app.bsky.graph.getList"] = Self.noSuchList
      state.late["3jui7kd54zh2y"] = #"{"$type":"app.bsky.graph.list"}"#
    }
    let (findings, coverage) = try await examine([.deadListBlock])
    #expect(
      Set(findings.compactMap(\.list).map(\.description))
        == [owned, "at://\(Accounts.did(7))/app.bsky.graph.list/3jui7kd54zh2y"])
    #expect(coverage.undecided == 0)
    double.change { $0.failing = ["com.atproto.repo.getRecord"] }
    let unclear = try await examine([.deadListBlock])
    #expect(unclear.findings.count == 2 && unclear.coverage.undecided == 1)
    // The AppView enforces what it shows, whatever the owner's server answers.
    double.change { state in
      state.failing = []
      state.answers["app.bsky.graph.getList"] = TransportResponse(
        ##"{"list":{"uri":"at://\##(Accounts.did(7))/app.bsky.graph.list/3jui7kd54zh2y","cid":"x","name":"Spam","purpose":"app.bsky.graph.defs#modlist","indexedAt":"2025-01-01T00:00:00Z","creator":{"did":"\##(Accounts.did(7))","handle":"user7.test"}},"items":[]}"##
      )
    }
    let shown = try await examine([.deadListBlock])
    #expect(shown.findings.map(\.list?.description) == [owned] && shown.coverage.undecided == 1)
  }

  private static let noSuchList = TransportResponse(
    status: 400, #"{"error":"InvalidRequest","message":"List not found"}"#)

  @Test func findsMembersOfDeletedLists() async throws {
    let list = "at://\(FollowersDouble.actor)/app.bsky.graph.list/3jui7kd54zh2y"
    double.change { state in
      state.put("app.bsky.graph.listitem", Self.key(of: 1), 1, list: list)
      state.put("app.bsky.graph.listitem", Self.key(of: 2), 1, list: list)
      state.put("app.bsky.graph.listitem", Self.key(of: 3), 2, list: list)
    }
    let (findings, _) = try await examine([.orphanMembers, .duplicate])
    #expect(findings.map(\.kind) == [.duplicate, .orphanMembers])
    #expect(findings.map(\.list?.description) == [list, list])
    #expect(findings.map { $0.records.count } == [2, 3])
  }

  @Test func reportsBlockedAndMutedLists() async throws {
    let list =
      ##"{"uri":"at://\##(Accounts.did(7))/app.bsky.graph.list/x","cid":"x","name":"Spam","purpose":"app.bsky.graph.defs#modlist","creator":{"did":"\##(Accounts.did(7))","handle":"user7.test"}}"##
    double.change { $0.answers["app.bsky.graph.getListMutes"] = TransportResponse(#"{"lists":[\#(list)]}"#) }
    let (findings, _) = try await examine([.subscription])
    #expect(findings.map(\.detail) == ["muted: Spam"] && findings.map(\.kind.isProblem) == [false])
    #expect(findings.first?.subject?.handle?.description == "user7.test")
  }

  // MARK: Identity and server

  @Test func reportsAWrongClock() async throws {
    let now = double.client.time.instant.secondsSinceEpoch
    for (lead, isFound) in [(-600, true), (600, true), (20, false)] {
      let moment = Datetime(at: Instant(secondsSinceEpoch: now + Int64(lead))).description
      let parts = moment.split(separator: "T")
      let day = parts[0].split(separator: "-")
      let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
      let month = try #require(Int(day[1]))
      let date = "Sun, \(day[2]) \(months[month - 1]) \(day[0]) \(parts[1].prefix(8)) GMT"
      double.change { state in
        state.answers["com.atproto.sync.getRepoStatus"] = TransportResponse(
          #"{"did":"\#(FollowersDouble.actor)","active":true}"#, fields: [.date: date])
      }
      let (findings, _) = try await examine([.clock])
      #expect(findings.map(\.kind) == (isFound ? [.clock] : []), "\(lead)")
    }
  }

  @Test func reportsThatTheAccountHasMoved() async throws {
    double.change { state in
      state.documents[0] = Self.document(handle: "user0.test", pds: "https://elsewhere.test")
      state.answers["com.atproto.sync.getRepoStatus"] = TransportResponse(
        #"{"did":"\#(FollowersDouble.actor)","active":false,"status":"deactivated"}"#)
    }
    let (findings, _) = try await examine([.pds, .status])
    #expect(findings.map(\.kind) == [.pds])
    #expect(findings.first?.detail.contains("https://elsewhere.test") == true)
  }

  @Test func reportsAHandleThatTheAppViewDoesNotShow() async throws {
    double.change { $0.documents[0] = Self.document(handle: "another.test") }
    let (findings, _) = try await examine([.handle])
    #expect(findings.contains { $0.detail.contains("user0.test") && $0.detail.contains("another.test") })
    double.change { $0.documents[0] = Self.document(handle: nil) }
    let nameless = try await examine([.handle]).findings
    #expect(nameless.map(\.kind) == [.handle])
  }
}
