// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// Answers questions about watched accounts from the daemon, and all others from another source.
struct DaemonRelationshipSource: RelationshipSource {
  /// What is older than this was to be forgotten.
  private final class Forgotten: Sendable {
    private let moment = PosixMutex(Instant.epoch)

    func includes(_ info: RelationshipInfo) -> Bool { info.checkedAt.instant < moment.withLock(\.self) }
    func move(to now: Instant) { moment.withLock { $0 = now } }
  }

  private let daemon: DaemonClient
  private let base: any RelationshipSource
  private let time: TimeSource
  private let forgotten = Forgotten()

  init(_ daemon: DaemonClient, otherwise base: any RelationshipSource, time: TimeSource) {
    (self.daemon, self.base, self.time) = (daemon, base, time)
  }

  var batchSize: Int { base.batchSize }
  var existenceBatchSize: Int { base.existenceBatchSize }

  func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    var known: [DID: RelationshipInfo] = [:]
    if try await daemon.knows(actor) {
      known = try await daemon.relationships(of: actor, with: targets)
        .filter { !forgotten.includes($0.value) }
    }
    let rest = known.isEmpty ? targets : targets.filter { known[$0] == nil }
    let found = rest.isEmpty ? [] : try await base.relationships(of: actor, with: rest)
    if known.isEmpty { return found }
    let others = Dictionary(zip(rest, found)) { first, _ in first }
    return targets.map { target in
      known[target].map { .known($0) } ?? others[target] ?? .failed(.invalidResponse)
    }
  }

  func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    try await base.existing(among: accounts)
  }

  func forget() {
    forgotten.move(to: time.instant)
    base.forget()
  }
}
