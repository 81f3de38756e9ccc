// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// What every store of own records does, in memory and in a file.
@Suite struct OwnRecordStoreTests {
  enum Kind: CaseIterable { case memory, file }

  private let place = TemporaryStore()
  private let me = Accounts.did(0)

  private func store(_ kind: Kind) -> any OwnRecordStore {
    switch kind {
    case .memory: InMemoryOwnRecordStore()
    case .file: OwnRecordCache(folder: place.folder)
    }
  }

  private func commit(_ number: Int) throws -> RepositoryCommit {
    RepositoryCommit(cid: try CID(parsing: "zCommit\(1_000 + number)"), revision: "\(number)")
  }

  private func key(_ number: Int) throws -> RecordKey { try RecordKey(parsing: "3k\(10_000 + number)") }

  private func value(_ subject: Int, _ fields: DataObject = [:]) -> DataValue {
    let plain: DataObject = [
      "$type": "app.bsky.graph.follow", "subject": .string("\(Accounts.did(subject))"),
      "createdAt": "2025-01-01T00:00:00.000Z",
    ]
    return .object(plain.merging(fields) { _, new in new })
  }

  private func record(_ number: Int, _ value: DataValue?) throws -> KeptRecord {
    KeptRecord(try key(number), value, in: .follow)
  }

  @Test(arguments: Kind.allCases) func keepsRecordsAtOneCommit(_ kind: Kind) async throws {
    let store = store(kind)
    let odd = value(2, ["via": ["uri": "at://x"], "createdAt": 7])
    let records = [
      try record(1, value(1)), try record(2, odd), try record(3, ["text": "none"]), try record(4, nil),
      try record(5, value(1)),
    ]
    #expect(await store.collections(of: me).isEmpty)
    #expect(await store.keep([.follow: records, .block: []], of: me, at: try commit(1)))
    #expect(await store.collections(of: me) == [.follow, .block])
    let all = try #require(await store.collection(.follow, of: me, at: commit(1), where: .all))
    #expect(Set(all.records) == Set(records) && all.others == 0)
    let values = Dictionary(uniqueKeysWithValues: all.records.map { ($0.rkey, $0.value(in: .follow)) })
    #expect(try values[key(2)] == odd && values[key(1)] == value(1))
    let some = try #require(
      await store.collection(
        .follow, of: me, at: commit(1),
        where: .some(subjects: ["\(Accounts.did(1))"], keys: [key(2), key(9)])))
    // Those without a subject always come along.
    #expect(Set(some.records) == Set(records) && some.others == 0)
    let few = try #require(
      await store.collection(.follow, of: me, at: commit(1), where: .some(subjects: ["\(Accounts.did(2))"])))
    #expect(try Set(few.records.map(\.rkey)) == Set([2, 3, 4].map(key)) && few.others == 2)
    #expect(await store.collection(.block, of: me, at: try commit(1), where: .all)?.records == [])
    #expect(await store.collection(.follow, of: me, at: try commit(2), where: .all) == nil)
    #expect(await store.collection(.follow, of: Accounts.did(1), at: try commit(1), where: .all) == nil)
    #expect(await store.collection(.list, of: me, at: try commit(1), where: .all) == nil)
  }

  @Test(arguments: Kind.allCases) func forgetsAllOfOneAccount(_ kind: Kind) async throws {
    let store = store(kind)
    for account in [me, Accounts.did(1)] {
      #expect(
        await store.keep([.follow: [try record(1, value(1))], .block: []], of: account, at: try commit(1)))
    }
    #expect(await store.forget(me))
    #expect(await store.collections(of: me).isEmpty)
    #expect(await store.collections(of: Accounts.did(1)) == [.follow, .block])
    #expect(await store.forget(me))
  }

  @Test(arguments: Kind.allCases) func dropsWhatBelongsToAnotherCommit(_ kind: Kind) async throws {
    let store = store(kind)
    #expect(await store.keep([.follow: [try record(1, value(1))]], of: me, at: try commit(1)))
    #expect(await store.keep([.follow: []], of: Accounts.did(1), at: try commit(1)))
    #expect(await store.keep([.block: []], of: me, at: try commit(2)))
    #expect(await store.collections(of: me) == [.block])
    #expect(await store.collection(.follow, of: me, at: try commit(1), where: .all) == nil)
    #expect(await store.collections(of: Accounts.did(1)) == [.follow])
  }

  @Test(arguments: Kind.allCases) func appliesChangesOfTheNextCommitOnly(_ kind: Kind) async throws {
    let store = store(kind)
    let records = try (0..<10).map { try record($0, value($0)) }
    #expect(await store.keep([.follow: records], of: me, at: try commit(1)))
    let changes = [
      OwnRecordChange(.follow, try key(3), value: nil), OwnRecordChange(.follow, try key(77), value: nil),
      OwnRecordChange(.follow, try key(4), value: value(44)),
      OwnRecordChange(.follow, try key(50), value: value(5)),
      OwnRecordChange(.block, try key(1), value: value(5)),
    ]
    await store.apply(changes, to: me, from: try commit(7), to: try commit(8))
    await store.apply(changes, to: me, from: try commit(1), to: try commit(2))
    #expect(await store.collection(.follow, of: me, at: try commit(1), where: .all) == nil)
    let all = try #require(await store.collection(.follow, of: me, at: commit(2), where: .all))
    #expect(Set(all.records.map(\.rkey)) == Set(try [0, 1, 2, 4, 5, 6, 7, 8, 9, 50].map(key)))
    let about = try #require(
      await store.collection(.follow, of: me, at: commit(2), where: .some(subjects: ["\(Accounts.did(5))"])))
    #expect(try Set(about.records.map(\.rkey)) == Set([5, 50].map(key)) && about.others == 8)
    let former = await store.collection(
      .follow, of: me, at: try commit(2), where: .some(subjects: ["\(Accounts.did(4))"]))
    #expect(former?.records == [] && former?.others == 10)
    #expect(await store.collections(of: me) == [.follow])
  }

  @Test func handsOverToTheNextProcess() async throws {
    let records = try (0..<3_000).map { try record($0, value($0)) }
    #expect(await store(.file).keep([.follow: records], of: me, at: try commit(1)))
    let all = await store(.file).collection(.follow, of: me, at: try commit(1), where: .all)
    #expect(all?.records.count == 3_000)
    let many = Set((0..<2_500).map { "\(Accounts.did($0))" })
    let found = await store(.file).collection(
      .follow, of: me, at: try commit(1), where: .some(subjects: many))
    #expect(found?.records.count == 2_500 && found?.others == 500)
    let attributes = try FileManager.default.attributesOfItem(atPath: place.folder + "/cache.sqlite")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
  }

  @Test func aDamagedFileIsMadeNew() async throws {
    #expect(await store(.file).keep([.follow: []], of: me, at: try commit(1)))
    try Data("not a database at all".utf8).write(to: URL(filePath: place.folder + "/cache.sqlite"))
    let later = store(.file)
    #expect(await later.collection(.follow, of: me, at: try commit(1), where: .all) == nil)
    #expect(await later.keep([.follow: []], of: me, at: try commit(1)))
    #expect(await later.collection(.follow, of: me, at: try commit(1), where: .all)?.records == [])
  }

  /// A row that was not written here: the collection is read from the server again.
  @Test func aRowThatCannotBeReadIsNotSkipped() async throws {
    #expect(await store(.file).keep([.follow: [try record(1, value(1))]], of: me, at: try commit(1)))
    try await DatabaseQueue(path: place.folder + "/cache.sqlite").write {
      try $0.execute(sql: "UPDATE own_records SET created_at = NULL, value = x'00'")
    }
    #expect(await store(.file).collection(.follow, of: me, at: try commit(1), where: .all) == nil)
  }

  @Test func aFolderThatCannotBeUsedKeepsNothing() async throws {
    try FileManager.default.createDirectory(atPath: place.folder, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: place.folder + "/file"))
    let cache = OwnRecordCache(folder: place.folder + "/file")
    #expect(!(await cache.keep([.follow: []], of: me, at: try commit(1))))
    #expect(await cache.collection(.follow, of: me, at: try commit(1), where: .all) == nil)
  }
}
