// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
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

  /// The kinds that occur, in declaration order; then those without a word.
  public var counts: [(kind: PortableRelationship.Kind, counts: Counts)] {
    let known = PortableRelationship.Kind.allCases
    let others = byKind.keys.filter { !known.contains($0) }.sorted { $0.rawValue < $1.rawValue }
    return (known + others).compactMap { kind in byKind[kind].map { (kind, $0) } }
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

/// What the rows of a file that speak for the account change: public consents, and what it says about itself.
public struct ImportedStatements: Sendable {
  /// A request, and the account on its other side.
  public struct Request: Sendable, Hashable {
    public let account: DID
    public let kind: FriendRequest.Kind
  }

  /// The requests of others that are accepted.
  public private(set) var accepted: [Request] = []
  /// The requests that are sent.
  public private(set) var asked: [Request] = []
  /// The new terms of requests; nil if they stay.
  public private(set) var policy: FriendPolicy?
  /// The new texts of the profile; nil if it stays.
  public private(set) var profile: ProfileEdit?

  /// Reads a plan; what has nothing to send is left out.
  init(_ plan: ChangePlan) {
    for planned in plan.changes where !planned.steps.isEmpty {
      switch planned.change {
      case .friends(.accept(let account, let standing)):
        if let request = standing.request { accepted.append(Request(account: account, kind: request.kind)) }
      case .friends(.request(let account, let draft)):
        asked.append(Request(account: account, kind: draft.kind))
      case .friends(.policy(_, let policy)): self.policy = policy
      case .profile(let edit): profile = edit
      default: break
      }
    }
  }

  /// The number of changes.
  public var count: Int {
    accepted.count + asked.count + (policy == nil ? 0 : 1) + (profile == nil ? 0 : 1)
  }

  /// The accounts that they are about.
  public var accounts: [DID] { (accepted + asked).map(\.account) }
}

extension ChangeIntent {
  /// The kind of the row that is imported as this; nil for what no row asks for.
  fileprivate var portableKind: PortableRelationship.Kind? {
    switch self {
    case .edge(let edge, let wanted) where wanted.makesRecord:
      graph != nil ? .follow : PortableRelationship.Kind(edge.kind)
    case .call(.mute): .mute
    case .call(.muteList): .listMute
    case .list(.create): .list
    case .profile: .profile
    case .records(.put(let record, _)): (record.collection?.description).map { .init(rawValue: $0) }
    case .friends(.request): .friendRequest
    case .friends(.accept): .friendAnswer
    case .friends(.policy): .friendPolicy
    case .edge, .call, .posts, .records, .list, .friends:
      nil
    }
  }
}
