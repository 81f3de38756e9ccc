// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithSandbox
import TestSupport
import Testing

/// A copy of a fixture's files with a sandbox in the state when the fixture was made.
final class FixtureRun: Sendable {
  /// The fate of the commits in doubt.
  enum Doubt: String, Sendable, CaseIterable {
    /// The server executed them, but the response was lost.
    case landed
    /// They never reached the server.
    case lost
  }

  let expected: StoredFixture.Expected
  let run: SandboxRun
  /// The records of each account when the test begins.
  let before: [DID: StoredFixture.Records]
  /// The records that an account had before its first job.
  private let original: [DID: StoredFixture.Records]
  private let home: URL
  private let folders: [String: String]

  private static let collections = ["app.bsky.graph.follow", "app.bsky.graph.block"].compactMap { NSID($0) }

  /// Copies the files, and adds their records and sessions to the sandbox.
  init(_ fixture: StoredFixture, _ doubt: Doubt = .landed) async throws {
    expected = try fixture.expected()
    run = try await SandboxRun(accounts: expected.network.accounts)
    home = FileManager.default.temporaryDirectory.appending(path: "kith-fixture-\(UUID().uuidString)")
    folders = ["XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data"]
    var (original, before): ([DID: StoredFixture.Records], [DID: StoredFixture.Records]) = ([:], [:])
    for (handle, did) in expected.accounts {
      // The network is generated from its seed; the DIDs show that it is the same.
      try #require(run.sandbox.network.account(try #require(Handle(handle)))?.did == did)
      original[did] = Self.records(of: did, in: run.sandbox)
      before[did] = expected.records(of: did)
    }
    self.original = original
    if doubt == .lost {
      for item in expected.items where item.state == "inDoubt" {
        for write in item.writes { Self.revert(write, in: &before, original) }
      }
    }
    self.before = before
    for (did, records) in before { try Self.put(records, of: did, in: run.sandbox) }
    try copyFiles(of: fixture)
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  // MARK: Files

  private var sessions: URL { home.appending(path: "state/kith/sessions") }

  /// The stored session of an account.
  func session(of account: DID) throws -> DataObject {
    let bytes = try Data(contentsOf: sessions.appending(path: "\(account).json"))
    return try #require(try JSONDecoder().decode(DataValue.self, from: bytes).object)
  }

  /// Copies the files, with the current port of the sandbox in the sessions.
  private func copyFiles(of fixture: StoredFixture) throws {
    let data = home.appending(path: "data/kith")
    for folder in [data, sessions] {
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
    try copy(fixture.folder.appending(path: "kith.sqlite"), to: data.appending(path: "kith.sqlite")) { $0 }
    let stored = fixture.folder.appending(path: "sessions")
    let address = try #require(run.environment["ATP_PDS_HOST"])
    for name in try FileManager.default.contentsOfDirectory(atPath: stored.path()) {
      try copy(stored.appending(path: name), to: sessions.appending(path: name)) { bytes in
        Data(
          String(decoding: bytes, as: UTF8.self).replacing("\"\(expected.pds)\"", with: "\"\(address)\"").utf8
        )
      }
    }
    for did in expected.accounts.values {
      let session = try session(of: did)
      try #require(session["pds"]?.string == address)
      try #require(
        run.sandbox.continueSession(
          of: did, accessToken: try #require(session["accessToken"]?.string),
          refreshToken: try #require(session["refreshToken"]?.string)))
    }
  }

  private func copy(_ source: URL, to target: URL, _ change: (Data) -> Data) throws {
    let bytes = change(try Data(contentsOf: source))
    try #require(
      FileManager.default.createFile(
        atPath: target.path(), contents: bytes, attributes: [.posixPermissions: 0o600]))
  }

  // MARK: Records

  /// The records of an account now.
  func records(of account: DID) -> StoredFixture.Records { Self.records(of: account, in: run.sandbox) }

  /// The records that all accounts have now.
  var records: [DID: StoredFixture.Records] {
    Dictionary(uniqueKeysWithValues: before.keys.map { ($0, records(of: $0)) })
  }

  /// The expected records after the requested items are done.
  func after(finishing names: [String]) throws -> [DID: StoredFixture.Records] {
    var records = before
    for name in names {
      let account = try expected.account(of: name)
      for write in try expected.items(of: name).filter(\.isWanted).flatMap(\.writes) {
        switch write.action {
        case "create":
          let record: DataValue = try #require(write.record)
          records[account]?[write.uri] = record
        case "delete": records[account]?[write.uri] = nil
        default: break
        }
      }
    }
    return records
  }

  /// The expected records after the jobs are undone.
  func after(undoing names: [String]) throws -> [DID: StoredFixture.Records] {
    var records = before
    for name in names {
      for write in try expected.items(of: name).flatMap(\.writes) {
        Self.revert(write, in: &records, original)
      }
    }
    return records
  }

  /// Removes a created record and restores a deleted one.
  private static func revert(
    _ write: StoredFixture.ItemLine.Write, in records: inout [DID: StoredFixture.Records],
    _ original: [DID: StoredFixture.Records]
  ) {
    guard let account = ATURI(write.uri).flatMap({ uri in original.keys.first { uri.authority == .did($0) } })
    else { return }
    records[account]?[write.uri] = write.action == "delete" ? original[account]?[write.uri] : nil
  }

  private static func records(of account: DID, in sandbox: Sandbox) -> StoredFixture.Records {
    var records: StoredFixture.Records = [:]
    for collection in collections {
      for (key, value) in sandbox.records(of: account, in: collection) {
        records["at://\(account)/\(collection)/\(key)"] = value
      }
    }
    return records
  }

  private static func put(_ records: StoredFixture.Records, of account: DID, in sandbox: Sandbox) throws {
    for collection in collections {
      var values: [RecordKey: DataValue?] = [:]
      for (key, _) in sandbox.records(of: account, in: collection) { values.updateValue(nil, forKey: key) }
      for (uri, value) in records {
        guard let uri = ATURI(uri), uri.collection == collection, let key = uri.recordKey else { continue }
        values.updateValue(value, forKey: key)
      }
      try #require(sandbox.setRecords(values, in: collection, of: account))
    }
    try #require(Self.records(of: account, in: sandbox) == records)
  }

  // MARK: Commands

  /// Runs one command line with the copied files; words are separated by spaces.
  func kith(_ line: String) async throws -> KithRun { try await run.kith(line, environment: folders) }

  /// Resumes a job with a budget of its own: some jobs were stopped by a limit that is stored with them.
  func resume(_ name: String) async throws -> KithRun {
    try await kith("jobs resume \(try expected.job(name)) --points 5000/35000 --leave 0")
  }

  /// All jobs, by the name of their case; later jobs have none.
  func jobs() async throws -> [StoredFixture.JobLine] {
    try await kith("jobs list --all").rows(StoredFixture.JobLine.self)
  }

  /// The current state of a job.
  func job(_ name: String) async throws -> StoredFixture.JobLine {
    let number = try expected.job(name)
    return try #require(try await jobs().first { $0.job == number })
  }

  /// The current items of a job.
  func items(of name: String) async throws -> [StoredFixture.ItemLine] {
    try await kith("jobs show \(try expected.job(name))").rows(StoredFixture.ItemLine.self)
  }
}
