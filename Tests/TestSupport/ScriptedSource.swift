// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships
internal import KithWriting

/// A source that responds with functions and records its queries.
package final class ScriptedSource: RelationshipSource {
  package typealias Asked = @Sendable (_ actor: DID, _ targets: [DID]) throws -> [DID: RelationshipFinding]

  package let batchSize: Int
  package let existenceBatchSize = 25
  /// Holds queries back while it is closed.
  package let turnstile: Turnstile
  /// The accounts being asked about behind the turnstile.
  private let free: Set<DID>
  private let answer: Asked
  private let existing: @Sendable ([DID]) throws -> ExistenceFinding
  private let questions = Watched<[[DID]]>([])
  private let verifications = PosixMutex<[[DID]]>([])

  package init(
    batchSize: Int = 30, turnstile: Turnstile = Turnstile(), free: Set<DID> = [],
    _ answer: @escaping Asked = { actor, targets in ScriptedSource.follows(actor, targets) { _ in true } },
    existing: @escaping @Sendable ([DID]) throws -> Set<DID> = { Set($0) },
    unverifiable: [DID: RelationshipError] = [:]
  ) {
    self.batchSize = batchSize
    self.turnstile = turnstile
    self.free = free
    self.existing = { asked in
      ExistenceFinding(
        existing: try existing(asked).subtracting(unverifiable.keys),
        faults: unverifiable.filter { asked.contains($0.key) })
    }
    self.answer = answer
  }

  /// The batches of all queries, in order.
  package var asked: [[DID]] { questions.withLock { $0 } }
  /// Waits until there were this many queries.
  package func untilAsked(_ count: Int) async { await questions.until { $0.count >= count } }
  /// True once the source is deallocated.
  package let isGone = Watched(false)
  /// The batches of accounts whose existence was queried.
  package var verified: [[DID]] { verifications.withLock { $0 } }

  deinit { isGone.withLock { $0 = true } }

  /// Returns a finding for each target: the actor follows those that are picked.
  package static func follows(
    _ actor: DID, _ targets: [DID], where isFollowed: (DID) -> Bool
  ) -> [DID: RelationshipFinding] {
    var findings: [DID: RelationshipFinding] = [:]
    for target in targets {
      findings[target] = .known(.made(actor: actor, target: target, follows: isFollowed(target)))
    }
    return findings
  }

  package func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    questions.withLock { $0.append(targets) }
    let findings =
      free.isSuperset(of: targets)
      ? try answer(actor, targets) : try await turnstile.pass { try answer(actor, targets) }
    return targets.map { findings[$0] ?? .failed(.invalidResponse) }
  }

  package func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    verifications.withLock { $0.append(accounts) }
    return try await turnstile.pass { try existing(accounts) }
  }
}

extension RelationshipInfo {
  /// An AppView response about one follow.
  package static func made(
    actor: DID, target: DID, follows: Bool, key: String = "3jui7kd54zh2y"
  ) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target,
      following: follows ? ATURI("at://\(actor)/app.bsky.graph.follow/\(key)") : nil,
      checkedAt: Datetime(at: 0), source: .appview)
  }
}
