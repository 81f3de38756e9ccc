// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

/// A folder of `Tests/Fixtures`: files written by one version of `kith`, and what it printed about them.
struct StoredFixture: Sendable, CustomTestStringConvertible {
  let folder: URL

  /// The history file, and what the version printed about it; nil if the fixture has none.
  var history: (file: URL, said: URL)? {
    let (file, said) = (folder.appending(path: "history.sqlite"), folder.appending(path: "history.json"))
    return FileManager.default.fileExists(atPath: file.path()) ? (file, said) : nil
  }

  /// Records by their AT-URIs.
  typealias Records = [String: DataValue]

  /// The version that made it.
  var testDescription: String { folder.lastPathComponent }

  /// All fixtures, latest last.
  static let all: [StoredFixture] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "Fixtures")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path())) ?? []
    return names.sorted().map { StoredFixture(folder: root.appending(path: $0)) }
      .filter { FileManager.default.fileExists(atPath: $0.folder.appending(path: "expected.json").path()) }
  }()

  /// The fixture that needs the most migrations, and in `make test-long` all.
  static let oldest = CaseSample.of(
    all.filter { $0.testDescription == "4b99413" } + all.filter { $0.testDescription != "4b99413" }, one: 100)

  /// The content of `expected.json`.
  struct Expected: Decodable {
    struct Network: Decodable {
      let accounts: Int
      let seed: UInt64
    }

    let network: Network
    /// Where the sandbox was.
    let pds: String
    /// The accounts that are signed in, by handle.
    let accounts: [String: DID]
    /// The number of each job, by the name of its case.
    let cases: [String: Int]
    let jobs: [JobLine]
    let items: [ItemLine]
    /// All records, by account, collection and key.
    let records: [String: [String: [String: DataValue]]]

    func records(of account: DID) -> Records {
      var records: Records = [:]
      for (collection, values) in self.records[account.description] ?? [:] {
        for (key, value) in values { records["at://\(account)/\(collection)/\(key)"] = value }
      }
      return records
    }

    func job(_ name: String) throws -> Int { try #require(cases[name], "no case \(name)") }

    func items(of name: String) throws -> [ItemLine] {
      let job = try job(name)
      let items = items.filter { $0.job == job }
      try #require(!items.isEmpty)
      return items
    }

    /// The account that a job belongs to.
    func account(of name: String) throws -> DID {
      let job = try job(name)
      return try #require(jobs.first { $0.job == job }).account
    }
  }

  /// A row of `kith jobs list`, without fields that depend on time or wording.
  struct JobLine: Decodable, Hashable {
    let job: Int
    let verb: String
    let account: DID
    let state: String
    let total: Int
    let done: Int
    let skipped: Int
    let failed: Int
    let inDoubt: Int
    let pending: Int
    let cancelled: Int
    let undone: Int
    let pointsLeft: Int
    let createdAt: String
    let endedAt: String?
    let until: String?
    let undoes: Int?
  }

  /// A row of `kith jobs show`, without fields that depend on wording.
  struct ItemLine: Decodable, Hashable {
    struct Write: Decodable, Hashable {
      let action: String
      let uri: String
      let record: DataValue?
    }

    let verb: String
    let input: String
    let subject: String?
    let state: String
    let writes: [Write]
    let job: Int

    /// Whether the version that made the fixture had sent it, or was going to.
    var isWanted: Bool { ["done", "inDoubt", "pending"].contains(state) }
  }

  func expected() throws -> Expected {
    let bytes = try Data(contentsOf: folder.appending(path: "expected.json"))
    return try JSONDecoder().decode(Expected.self, from: bytes)
  }
}
