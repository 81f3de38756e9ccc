// SPDX-License-Identifier: Apache-2.0

import KithCore

@testable import KithRelationships

/// Access to a pair by its accounts, for tests.
extension PairCache {
  mutating func find(_ actor: DID, _ target: DID, at now: CacheInstant) -> (position: Int, age: Age)? {
    find(PairKey(actor, target), at: now)
  }

  mutating func insert(
    _ info: RelationshipInfo, until expiry: CacheInstant
  ) -> (former: RelationshipInfo?, evictions: Int) {
    insert(info, of: PairKey(info.actor, info.target), until: expiry)
  }

  mutating func insertAbsence(of target: DID, from actor: DID, until expiry: CacheInstant) -> Int {
    insertAbsence(of: target, in: PairKey(actor, target), until: expiry)
  }
}

extension RelationshipCache {
  mutating func finding(of actor: DID, with target: DID) -> Lookup {
    finding(of: actor, in: PairKey(actor, target), at: now)
  }

  mutating func learn(
    _ findings: [DID: RelationshipFinding], of actor: DID, with targets: [DID],
    except invalidated: Set<PairKey> = []
  ) -> [(before: RelationshipInfo, now: RelationshipInfo)] {
    learn(
      targets.map { findings[$0] ?? .failed(.invalidResponse) }, of: actor,
      in: targets.map { PairKey(actor, $0) }, except: invalidated)
  }
}
