// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// A source whose answers show what an account has just done, though the source does not yet (Q21).
struct OptimisticSource: RelationshipSource {
  private let source: any RelationshipSource
  private let overlay: OptimisticOverlay

  init(_ source: any RelationshipSource, _ overlay: OptimisticOverlay) {
    self.source = source
    self.overlay = overlay
  }

  var batchSize: Int { source.batchSize }
  var existenceBatchSize: Int { source.existenceBatchSize }

  func relationships(of actor: DID, with targets: [DID]) async throws -> [DID: RelationshipFinding] {
    let findings = try await source.relationships(of: actor, with: targets)
    if overlay.isEmpty { return findings }
    return findings.mapValues { finding in
      if case .known(let info) = finding { .known(overlay.heard(info)) } else { finding }
    }
  }

  func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    try await source.existing(among: accounts)
  }
}
