// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport

@testable import KithRelationships
@testable import KithWriting

/// An account's PDS, and writers and engines that change its records with a journal of the test.
struct TapScene {
  var pds = PDSDouble()
  let place: any JournalPlace
  /// Whether the PDS refuses queries for single records.
  let isDead = PosixMutex(false)

  var time: TimeSource { place.time }

  private func client() throws -> XRPCClient {
    let transport = ScriptedTransport { [pds, isDead] request in
      if RequestQuery(request).method == "com.atproto.repo.getRecord", isDead.withLock({ $0 }) {
        throw TransportError(.timedOut, host: "pds.test")
      }
      return try pds.answer(request)
    }
    return try pds.client(transport, time)
  }

  private func facts(_ client: XRPCClient, _ own: OwnRecords) -> FactLoader {
    let source = ScriptedSource { actor, targets in ScriptedSource.follows(actor, targets) { _ in false } }
    return FactLoader(account: pds.account, pds: client, appview: client, relationships: source, records: own)
  }

  private var keys: TIDClock { TIDClock(clockID: 1) { [time] in time.instant } }

  /// A started app, whose calls may die with its process.
  func writer(_ store: any JobStore, in process: MortalProcess? = nil) throws -> RelationshipWriter {
    let client = try client()
    let own = OwnRecords(of: pds.account, client: client)
    var repository: any Repository = PDSRepository(account: pds.account, pds: client, records: own)
    if let process { repository = MortalRepository(base: repository, process: process) }
    return RelationshipWriter(
      repository: repository, facts: facts(client, own), journal: store, keys: keys,
      configuration: .init(patience: .seconds(5)), time: time)
  }

  func engine(_ store: any JobStore, in process: MortalProcess? = nil) throws -> ChangeEngine {
    let client = try client()
    let own = OwnRecords(of: pds.account, client: client)
    var repository: any Repository = PDSRepository(account: pds.account, pds: client, records: own)
    if let process { repository = MortalRepository(base: repository, process: process) }
    return ChangeEngine(
      repository: repository, facts: facts(client, own), journal: store, keys: keys, time: time)
  }

  /// The keys of all follow records of an account.
  func follows(of other: DID) -> [RecordKey] {
    pds.records.compactMap { name, value in
      guard name.hasPrefix("\(NSID.follow)/"), value["subject"]?.string == "\(other)" else { return nil }
      return RecordKey(String(name.dropFirst("\(NSID.follow)/".count)))
    }
  }

  /// The points of all commits that took effect.
  var pointsSpent: Int {
    pds.commits.joined().reduce(0) { sum, write in
      switch write.type {
      case "com.atproto.repo.applyWrites#create": sum + 3
      case "com.atproto.repo.applyWrites#update": sum + 2
      default: sum + 1
      }
    }
  }
}
