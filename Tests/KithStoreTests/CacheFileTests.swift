// SPDX-License-Identifier: Apache-2.0

import Foundation
import GRDB
import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithStore

/// The cache file: never an obstacle, whatever happened to it.
@Suite struct CacheFileTests {
  private let place = TemporaryStore()
  private var path: String { place.folder + "/cache.sqlite" }
  private let hour: Int64 = 3_600_000_000
  private let now: Instant = 1_800_000_000_000_000

  private func cache(appview: String = "https://appview.test") throws -> IdentityCache {
    IdentityCache(
      folder: place.folder, appview: try ServiceURL(parsing: appview),
      directory: try ServiceURL(parsing: "https://plc.test"))
  }

  private func document(_ number: Int, claiming handle: String) throws -> DIDDocument {
    let text = ##"""
      {"id":"\##(Accounts.did(number))","alsoKnownAs":["at://\##(handle)"],"service":[{"id":"#atproto_pds",
      "type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}]}
      """##
    return try JSONCoding.decode(DIDDocument.self, from: Array(text.utf8))
  }

  @Test func handsOverHandlesAndDocumentsToTheNextProcess() async throws {
    let account = ResolvedHandle(Accounts.did(1), displayName: "Zoë 🐳")
    let document = try document(1, claiming: "user1.test")
    let earlier = try cache()
    await earlier.keep([Accounts.handle(1): account], at: now)
    await earlier.keep(document, at: now)
    let later = try cache()
    let handles = [Accounts.handle(1), Accounts.handle(2)]
    let time = now - hour...now + hour
    #expect(await later.accounts(of: handles, askedWithin: time) == [Accounts.handle(1): account])
    #expect(await later.document(of: Accounts.did(1), askedWithin: time) == document)
    #expect(await later.document(of: Accounts.did(2), askedWithin: time) == nil)
    #expect(await later.accounts(of: handles, askedWithin: now + 1...now + hour).isEmpty)
    #expect(await later.document(of: Accounts.did(1), askedWithin: now - hour...now - 1) == nil)
  }

  @Test func findsNamesByTheirBeginning() async throws {
    let names = try NameCache(folder: place.folder)
    for (number, name) in [(1, "Zoë"), (2, "100% sure"), (3, "100 birds"), (4, "a_b")] {
      try await names.remember(
        [AccountView(Accounts.did(number), handle: Accounts.handle(number), displayName: name)],
        at: now + Int64(number))
    }
    func found(_ text: String) async throws -> [DID] {
      try await names.accounts(beginningWith: text, most: 3)
    }
    #expect(try await found("USER") == [4, 3, 2].map(Accounts.did))
    #expect(try await found("zo") == [Accounts.did(1)])
    // Wildcards of SQL are text.
    #expect(try await found("100%") == [Accounts.did(2)])
    #expect(try await found("a_") == [Accounts.did(4)])
    #expect(try await found("_").isEmpty)
    #expect(try await found("\\").isEmpty)
  }

  @Test func keepsWhatWasReadToFindPeopleForAWhile() async throws {
    let earlier = try DiscoveryCache(folder: place.folder)
    let follows = [Accounts.did(1): [Accounts.did(3), Accounts.did(2)], Accounts.did(4): []]
    try await earlier.keep(follows: follows, at: now)
    try await earlier.keep(optOuts: [Accounts.did(1): true, Accounts.did(2): false], at: now)
    let later = try DiscoveryCache(folder: place.folder)
    let accounts = Accounts.dids(1..<6)
    let day = (now - hour)...(now + hour)
    #expect(try await later.follows(of: accounts, readIn: day) == follows)
    #expect(
      try await later.optOuts(of: accounts, readIn: day) == [Accounts.did(1): true, Accounts.did(2): false])
    // What comes from a clock that is ahead is not used.
    #expect(try await later.follows(of: accounts, readIn: (now - hour)...(now - 1)).isEmpty)
    #expect(try await later.optOuts(of: accounts, readIn: (now + 1)...(now + hour)).isEmpty)
    try await later.keep(follows: [Accounts.did(9): []], at: now + 8 * 24 * hour)
    #expect(try await later.follows(of: accounts, readIn: day).isEmpty)
  }

  /// A handle of one network may belong to another account on another network.
  @Test func distinguishesNetworks() async throws {
    await (try cache()).keep([Accounts.handle(1): ResolvedHandle(Accounts.did(1))], at: now)
    let other = try cache(appview: "http://localhost:7070")
    #expect(await other.accounts(of: [Accounts.handle(1)], askedWithin: 0...now).isEmpty)
  }

  @Test func forgetsWhatIsOlderThanADay() async throws {
    await (try cache()).keep([Accounts.handle(1): ResolvedHandle(Accounts.did(1))], at: now - 25 * hour)
    await (try cache()).keep([Accounts.handle(2): ResolvedHandle(Accounts.did(2))], at: now)
    let count = try await DatabaseQueue(path: path).read {
      try Int.fetchOne($0, sql: "SELECT count(*) FROM handles")
    }
    #expect(count == 1)
  }

  @Test(arguments: ["", "not a database at all", String(repeating: "SQLite format 3\u{0}", count: 4_000)])
  func aDamagedFileIsMadeNew(text: String) async throws {
    await (try cache()).keep([Accounts.handle(1): ResolvedHandle(Accounts.did(1))], at: now)
    try Data(text.utf8).write(to: URL(filePath: path))
    let later = try cache()
    _ = await later.accounts(of: [Accounts.handle(1)], askedWithin: 0...now)
    await later.keep([Accounts.handle(2): ResolvedHandle(Accounts.did(2))], at: now)
    let found = try await cache().accounts(of: [Accounts.handle(2)], askedWithin: 0...now)
    #expect(found.count == 1)
  }

  @Test func aFileOfALaterVersionIsMadeNew() async throws {
    await (try cache()).keep([Accounts.handle(1): ResolvedHandle(Accounts.did(1))], at: now)
    try await StoreDatabase(folder: place.folder, .cache).write {
      try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('999 later')")
    }
    await (try cache()).keep([Accounts.handle(2): ResolvedHandle(Accounts.did(2))], at: now)
    let found = try await cache().accounts(
      of: [Accounts.handle(1), Accounts.handle(2)], askedWithin: 0...now)
    #expect(Array(found.keys) == [Accounts.handle(2)])
  }

  @Test func aFolderThatCannotBeUsedKeepsNothing() async throws {
    try FileManager.default.createDirectory(atPath: place.folder, withIntermediateDirectories: true)
    try Data().write(to: URL(filePath: place.folder + "/file"))
    let cache = IdentityCache(
      folder: place.folder + "/file", appview: try ServiceURL(parsing: "https://appview.test"),
      directory: try ServiceURL(parsing: "https://plc.test"))
    await cache.keep([Accounts.handle(1): ResolvedHandle(Accounts.did(1))], at: now)
    #expect(await cache.accounts(of: [Accounts.handle(1)], askedWithin: 0...now).isEmpty)
  }

  @Test func keepsTheListNamesOfTheLastReading() async throws {
    let lists = try ListNameCache(folder: place.folder)
    func list(_ key: String) throws -> ATURI {
      try ATURI(parsing: "at://\(Accounts.did(1))/app.bsky.graph.list/\(key)")
    }
    try await lists.replace([(try list("a"), "Old"), (try list("b"), "Noise")], of: Accounts.did(1))
    try await lists.replace([(try list("a"), "Friends"), (try list("b"), "Noise")], of: Accounts.did(1))
    try await lists.replace([(try list("c"), "Noise")], of: Accounts.did(2))
    #expect(try await ListNameCache(folder: place.folder).names() == ["Friends", "Noise"])
  }

  /// Every released version of the file can be opened by this one.
  @Test(arguments: 0...6) func opensWhatEarlierVersionsWrote(version: Int) async throws {
    let migrator = CacheSchema.migrator
    #expect(
      migrator.migrations == [
        "1 names", "2 identities", "3 relationships", "4 lists", "5 own records", "6 former handles",
        "7 discovery",
      ])
    try FileManager.default.createDirectory(
      atPath: place.folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    if version > 0 {
      let queue = try DatabaseQueue(path: path)
      try migrator.migrate(queue, upTo: migrator.migrations[version - 1])
      try await queue.write {
        try $0.execute(
          sql: CacheStatements.remember,
          arguments: [Data(Accounts.did(1).packed), "user1.test", "One", 1])
      }
      try queue.close()
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }
    await (try cache()).keep([Accounts.handle(2): ResolvedHandle(Accounts.did(2))], at: now)
    #expect(try await cache().accounts(of: [Accounts.handle(2)], askedWithin: 0...now).count == 1)
    let names = try await NameCache(folder: place.folder).names(of: [Accounts.did(1)])
    #expect(names.count == (version > 0 ? 1 : 0))
  }
}
