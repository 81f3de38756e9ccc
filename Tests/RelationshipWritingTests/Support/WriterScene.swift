// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import TestSupport

@testable import RelationshipWriting
@testable import Relationships

/// A writer, the PDS that it writes to, and a service over an AppView that shows what the test says.
struct WriterScene {
  let clock = ManualClock(.skipping)
  let pds: PDSDouble
  let transport: ScriptedTransport
  let service: FollowRelationshipService
  let writer: RelationshipWriter
  /// What the AppView shows of the account's own follows, by their records.
  let shown: PosixMutex<[DID: String]>

  init(
    _ manner: PDSDouble.Manner = .reference, turnstile: Turnstile = Turnstile(), shown: [DID: String] = [:],
    muted: Bool? = nil, configuration: RelationshipWriter.Configuration = .init()
  ) throws {
    let pds = PDSDouble(manner)
    let table = PosixMutex(shown)
    let source = ScriptedSource { actor, targets in
      var findings: [DID: RelationshipFinding] = [:]
      for target in targets {
        let key = table.withLock { $0[target] }
        findings[target] = .known(
          RelationshipInfo(
            actor: actor, target: target, following: key.flatMap { ATURI("at://\(actor)/\($0)") },
            muted: muted, checkedAt: Datetime(microsecondsSinceEpoch: 0), source: .appview))
      }
      return findings
    }
    let time = clock.timeSource()
    transport = ScriptedTransport(turnstile: turnstile) { try pds.answer($0) }
    let client = try pds.client(transport, time)
    service = FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client),
      configuration: .init(gatherWindow: .zero), time: time)
    writer = RelationshipWriter(
      repository: PDSRepository(account: pds.account, pds: client),
      facts: FactLoader(account: pds.account, pds: client, appview: client, relationships: source),
      relationships: service, keys: TIDClock(clockID: 1) { time.microsecondsSinceEpoch },
      configuration: configuration, time: time)
    self.pds = pds
    self.shown = table
  }

  /// Whose graph it is.
  var me: DID { pds.account }

  func relationship(with other: DID) async throws -> RelationshipInfo {
    try await service.getRelationship(actor: me, target: other)
  }

  /// The records of a collection, as `collection/rkey`.
  func keys(_ collection: String) -> [String] {
    pds.records.keys.filter { $0.hasPrefix(collection + "/") }.sorted()
  }
}
