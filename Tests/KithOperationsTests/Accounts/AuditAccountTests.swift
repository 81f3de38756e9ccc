// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// Audits of accounts of a served network, also with records that no well-behaved app would write.
@Suite struct AuditAccountTests {
  private static let network = FaultyNetwork()
  private static let hidden: Set<AuditFinding.Kind> = [
    .blocker, .blocked, .deactivated, .suspended, .deleted, .ghost, .unindexed,
  ]

  /// A second follow, a follow of oneself, a block of a missing list, a member of a missing list, and nonsense.
  @Test func findsWhatNoAppWouldWrite() async throws {
    let carol = try await ServedUser("carol", on: Self.network)
    let (me, network) = (try carol.did("carol"), carol.network)
    let mess: Set<AuditFinding.Kind> = [.duplicate, .selfEdge, .deadListBlock, .orphanMembers, .malformed]
    #expect(try await carol.run(AuditAccount(mess)).rows.isEmpty)
    let follows = network.records(of: me, in: try NSID(parsing: "app.bsky.graph.follow"))
    let subject = try #require(follows.first?.value["subject"]?.string)
    let missing = "app.bsky.graph.list/3khuwc44c9999"
    let records: [(String, String, DataObject)] = [
      ("follow", "3khuwc44c222a", ["subject": .string(subject)]),
      ("follow", "3khuwc44c222b", ["subject": .string("\(me)")]),
      ("follow", "3khuwc44c222c", ["subject": "nonsense"]),
      ("listblock", "3khuwc44c222d", ["subject": .string("at://\(subject)/\(missing)")]),
      (
        "listitem", "3khuwc44c222e",
        ["subject": .string(subject), "list": .string("at://\(me)/\(missing)")]
      ),
    ]
    for (name, key, fields) in records {
      let collection = try NSID(parsing: "app.bsky.graph.\(name)")
      let more: DataObject = [
        "$type": .string("\(collection)"), "createdAt": "2026-01-01T00:00:00.000Z",
      ]
      let value = DataValue.object(fields.merging(more) { own, _ in own })
      #expect(network.setRecords([try RecordKey(parsing: key): value], in: collection, of: me))
    }
    let run = try await carol.run(AuditAccount(mess))
    #expect(run.outcome.counts == Dictionary(uniqueKeysWithValues: mess.map { ($0, 1) }))
    #expect(run.rows.count { $0.repair != nil } == 4 && run.outcome.repairs.count == 4)
    // Once repaired, only what cannot be repaired is left.
    try await carol.change(run.outcome.repairs.map(\.change))
    #expect(try await carol.run(AuditAccount(mess)).outcome.counts == [.malformed: 1])
  }

  @Test func findsFollowsThatTheAppViewHides() async throws {
    let alice = try await ServedUser(on: FaultyNetwork())
    let run = try await alice.run(AuditAccount(Self.hidden))
    let truth = try alice.network.hiddenFollows(of: try alice.did("alice"))
    #expect(!truth.isEmpty && Set(run.rows.compactMap { $0.finding.subject?.account }) == truth)
    #expect(run.outcome.coverage.faults.isEmpty && run.outcome.coverage.undecided == 0)
    try await alice.change(run.outcome.repairs.map(\.change))
    #expect(try alice.network.hiddenFollows(of: try alice.did("alice")).isEmpty)
  }

  @Test func findsInactiveAccounts() async throws {
    let alice = try await ServedUser(on: Self.network)
    func inactive(for days: Int64) async throws -> [AuditRow] {
      try await alice.run(AuditAccount([.inactive], inactiveFor: .seconds(days * 86_400))).rows
    }
    let (some, more) = (try await inactive(for: 30), try await inactive(for: 1))
    #expect(!some.isEmpty && some.count < more.count)
    #expect(more.allSatisfy { $0.finding.since != nil && $0.repair?.title == "unfollow" })
  }
}
