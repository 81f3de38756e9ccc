// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// Runs `kith` inside the test process: against a sandbox without sockets, with a clock that skips all waits.
final class InProcessUser: Sendable {
  /// The result of a run.
  struct Ending {
    let status: ExitStatus
    /// Rows, as canonical JSON without what differs from run to run.
    let rows: [[String: String]]
    let talk: String
  }

  let network: FaultyNetwork
  let home: URL

  /// Creates a network and the folders of a new user.
  ///
  /// - Parameters:
  ///   - days: the number of days of simulated history.
  ///   - unindexed: accounts that the AppView does not know.
  ///   - clock: the clock of servers and clients.
  init(
    _ dialect: SandboxDialect = .reference, accounts: Int = 200, days: Int = 0, pace: SandboxPace = .steady,
    lag: Duration = .zero, unindexed: Set<Handle> = [], clock: ManualClock = ManualClock(.skipping)
  ) throws {
    network = FaultyNetwork(
      dialect, accounts: accounts, days: days, pace: pace, lag: lag, unindexed: unindexed, clock: clock)
    home = FileManager.default.temporaryDirectory.appending(path: "kith-home-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: home) }

  /// Runs one command line.
  ///
  /// - Parameters:
  ///   - transport: what its calls pass through on their way to the network; nil for nothing.
  ///   - input: what stands on its stdin.
  func kith(
    _ words: [String], password: String = "pw-alice", over transport: (any HTTPTransport)? = nil,
    input: String = ""
  ) async throws -> Ending {
    let run = try await KithRun.inside(
      words,
      environment: [
        "HOME": home.path(), "KITH_APPVIEW": FaultyNetwork.appview, "ATP_PDS_HOST": FaultyNetwork.pds,
        "ATP_PLC_HOST": FaultyNetwork.plc, "KITH_RESOLVER": FaultyNetwork.resolver,
        "KITH_JETSTREAM": FaultyNetwork.jetstream,
        "ATP_AUTH_PASSWORD": password,
        "XDG_STATE_HOME": "\(home.path())/state", "XDG_DATA_HOME": "\(home.path())/data",
        "XDG_CACHE_HOME": "\(home.path())/cache", "XDG_CONFIG_HOME": "\(home.path())/config",
      ], input: input, network: transport ?? network, time: network.time)
    guard let status = ExitStatus(rawValue: run.status) else { throw CocoaError(.coderInvalidValue) }
    return Ending(
      status: status, rows: try Self.rows(Data(run.output.utf8)),
      talk: run.talk)
  }

  /// The values of Alice's records in a collection.
  func values(_ collection: String) throws -> [DataValue] {
    network.live.records(of: try did("alice"), in: try nsid(collection)).map(\.value)
  }

  /// The number of Alice's records about a subject, or of all in a collection.
  func records(_ collection: String, about subject: String? = nil) throws -> Int {
    try values(collection).count { subject == nil || $0["subject"]?.string == subject }
  }

  /// Writes records into an account's repository, including ones that no well-behaved app would write.
  func write(_ records: [(collection: String, fields: DataObject)], as account: DID) throws {
    for (collection, fields) in records {
      try write(collection, fields, key: network.live.nextKey().description, as: account)
    }
  }

  /// Writes a record with a given key into an account's repository.
  func write(_ collection: String, _ fields: DataObject, key: String, as account: DID) throws {
    let nsid = try nsid(collection)
    let more: DataObject = ["$type": .string("\(nsid)"), "createdAt": "2026-01-01T00:00:00.000Z"]
    let value = DataValue.object(fields.merging(more) { $1 })
    guard network.live.setRecords([try RecordKey(parsing: key): value], in: nsid, of: account) else {
      throw CocoaError(.coderInvalidValue)
    }
  }

  /// Follows of an account that the AppView hides: inactive accounts, and those with a block.
  func hiddenFollows(of account: DID) throws -> Set<DID> { try network.hiddenFollows(of: account) }

  /// The DID of one of the cast.
  func did(_ name: String) throws -> DID { try network.did(name) }

  /// The number of one of the cast in the network.
  func number(_ name: String) throws -> Int { try network.number(name) }

  /// The latest post of one of the cast that another account has quoted.
  func post(of name: String) throws -> String { try network.post(of: name).description }

  /// A post of Alice that is in her repository; written if it is not there.
  func writtenPost() throws -> String {
    let (alice, collection) = try (did("alice"), NSID(parsing: "app.bsky.feed.post"))
    let key = try RecordKey(parsing: "3k2yihcrp6f2c")
    let post: DataValue = [
      "$type": .string(collection.description), "text": "Written", "createdAt": "2026-01-01T00:00:00.000Z",
    ]
    guard network.live.setRecords([key: post], in: collection, of: alice) else {
      throw CocoaError(.coderInvalidValue)
    }
    return "at://\(alice)/\(collection)/\(key)"
  }

  /// The account's first list with a name.
  func list(_ name: String, of owner: String) throws -> String {
    try network.list(name, of: owner).description
  }

  private func nsid(_ collection: String) throws -> NSID {
    guard let nsid = NSID("app.bsky.graph.\(collection)") else { throw CocoaError(.coderInvalidValue) }
    return nsid
  }

  /// The objects of an output: one per line, or one on several lines; an export has lines of text.
  private static func rows(_ output: Data) throws -> [[String: String]] {
    if let whole = try? JSONSerialization.jsonObject(with: output) as? [String: Any] {
      return [try row(whole)]
    }
    return try output.split(separator: UInt8(ascii: "\n")).map { line in
      guard let fields = try? JSONSerialization.jsonObject(with: line) as? [String: Any] else {
        return ["line": String(decoding: line, as: UTF8.self)]
      }
      return try row(fields)
    }
  }

  private static func row(_ fields: [String: Any]) throws -> [String: String] {
    try fields.mapValues { value in
      let text = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
      return String(decoding: text, as: UTF8.self)
    }
  }
}

extension [String: String] {
  /// The text of a field of a row; nil if it is null.
  func text(_ field: String) -> String? {
    self[field].flatMap { $0 == "null" ? nil : $0.trimmingCharacters(in: ["\""]).replacing("\\/", with: "/") }
  }
}
