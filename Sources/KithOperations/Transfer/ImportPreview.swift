// SPDX-License-Identifier: Apache-2.0

import KithRelationships
public import KithWriting

/// The planned outcome of an import.
public struct ImportPreview: Sendable {
  /// The number of rows of a kind by outcome.
  public struct Counts: Sendable, Equatable {
    public var planned = 0
    public var unchanged = 0
    /// Duplicates in the same files.
    public var repeated = 0
    public var refused = 0
    /// Rows that an unfinished job is to create already.
    public var inJobs = 0
  }

  private var byKind: [PortableRelationship.Kind: Counts]

  /// The kinds that occur, in declaration order.
  public var counts: [(kind: PortableRelationship.Kind, counts: Counts)] {
    PortableRelationship.Kind.allCases.compactMap { kind in byKind[kind].map { (kind, $0) } }
  }

  public init(_ byKind: [PortableRelationship.Kind: Counts]) { self.byKind = byKind }

  public init(_ plan: ChangePlan) {
    byKind = [:]
    for planned in plan.changes {
      guard let kind = planned.change.portableKind else { continue }
      switch planned.outcome {
      case .steps: byKind[kind, default: Counts()].planned += 1
      case .holds where planned.notes.contains { $0.code == .namedTwice }:
        byKind[kind, default: Counts()].repeated += 1
      case .holds: byKind[kind, default: Counts()].unchanged += 1
      case .refused(let refusal) where refusal.code == .awaited || refusal.code == .unsettled:
        byKind[kind, default: Counts()].inJobs += 1
      case .refused: byKind[kind, default: Counts()].refused += 1
      }
    }
  }
}

extension ChangeIntent {
  fileprivate var portableKind: PortableRelationship.Kind? {
    switch self {
    case .follow: .follow
    case .make where graph != nil: .follow
    case .block: .block
    case .mute: .mute
    case .list(.create): .list
    case .list(.add): .member
    case .blockList: .listBlock
    case .muteList: .listMute
    case .profile: .profile
    default: nil
    }
  }
}
