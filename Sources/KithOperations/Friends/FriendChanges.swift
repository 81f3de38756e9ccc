// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
public import KithWriting

/// Changes of friend requests, checked against what the other accounts have written.
public struct FriendChanges: Sendable {
  /// What is done about each account.
  public enum Kind: Sendable, Hashable {
    /// Ask it. Without an end, the request has that of the own policy.
    case request(FriendRequestDraft)
    /// Withdraw the request.
    case cancel
    /// Accept its request.
    case accept
    /// Decline its request; only the journal says so.
    case decline
    /// End the friendship.
    case remove

    /// The change of one account.
    ///
    /// - Parameter standing: what became of its request, for an answer; unknown before that is read.
    public func change(_ account: DID, _ standing: Friendship.RequestState = .unknown) -> ChangeIntent {
      switch self {
      case .request(let draft): .friends(.request(account, draft))
      case .cancel: .friends(.cancel(account))
      case .accept: .friends(.accept(account, standing))
      case .decline: .friends(.decline(account, standing))
      case .remove: .friends(.remove(account))
      }
    }
  }

  /// The changes, one for each account.
  public private(set) var requests: [RequestedChange] = []
  /// The open requests that are to be accepted although neither their version nor their kind is known to be wanted, with
  /// the names of the accounts: a person has to see them first.
  public private(set) var unseen: [UnseenRequest] = []
  private let hasRecords: Bool
  private var refusals: [DID: ChangeRefusal] = [:]
  private var notes: [DID: [ChangeNote]] = [:]
  private var alreadyMet: Set<DID> = []
  /// Why the request of an account is unknown.
  private var causes: [DID: RelationshipError] = [:]

  /// Reads what the changes depend on: for requests the policy and the requests of each account, for answers its requests;
  /// nothing to withdraw or to end.
  ///
  /// An answer is about one version of a request: the one that a row names is answered or none, and so is only a request of
  /// a kind that is given.
  /// - Parameters:
  ///   - wanted: the kind of the requests to answer; nil for both.
  ///   - cid: the version of the request to answer; nil for those that rows name, or any.
  /// - Throws: `RepositoryError` if the own records cannot be read; `CancellationError`.
  public init(
    _ kind: Kind, of selected: SelectedAccounts, asking wanted: FriendRequest.Kind? = nil,
    version cid: CID? = nil, as account: AuthorizedAccount, in workspace: Workspace
  ) async throws {
    let others = selected.members.compactMap { try? $0.account.get() }.filter { $0 != account.did }
    let friends = workspace.friendships()
    let reader = friends.reader(of: account.did)
    switch kind {
    case .cancel, .remove:
      hasRecords = true
      requests = selected.requests { kind.change($0) }
    case .request(let draft):
      hasRecords = try await reader.hasRecords()
      let ending = try await draft.ending(by: account, friends, workspace.time.instant)
      requests = selected.requests { Kind.request(ending).change($0) }
      try await checkRequests(
        draft, to: others, as: account, try await reader.friendships(with: others), in: workspace)
    case .accept, .decline:
      hasRecords = try await reader.hasRecords()
      let found = try await reader.friendships(with: others)
      requests = selected.requests { other in
        kind.change(other, found[other]?.askedBy ?? (other == account.did ? .none : .unknown))
      }
      causes = found.compactMapValues(\.fault)
      if kind == .accept {
        for (other, friendship) in found where friendship.isBlocked == true { refusals[other] = .blocked }
      }
      let now = Datetime(at: workspace.time.instant)
      for member in selected.members {
        guard let other = try? member.account.get(), refusals[other] == nil,
          let standing = found[other]?.askedBy, let request = standing.request
        else { continue }
        let shown = cid ?? member.requestCID
        if let shown, shown != request.cid {
          refusals[other] = .otherVersion(request, at: now)
        } else if let wanted, wanted != request.kind {
          refusals[other] = .otherKind(request, at: now)
        } else if kind == .accept, shown == nil, wanted == nil, case .open = standing {
          unseen.append(UnseenRequest(name: member.name, request: request))
        }
      }
    }
  }

  private mutating func checkRequests(
    _ draft: FriendRequestDraft, to others: [DID], as account: AuthorizedAccount,
    _ found: [DID: Friendship], in workspace: Workspace
  ) async throws {
    let policies = try await workspace.friendships().policies(of: others)
    let (relationships, fault) = try await workspace.relationships()
      .known(of: account.did, with: others)
    for other in others {
      let friendship = found[other]
      if relationships[other]?.blocked == true {
        refusals[other] = .blocked
        continue
      }
      switch policies.found[other] ?? .unknown {
      case .unknown: refusals[other] = .policyUnknown.because(policies.causes[other])
      case .none: notes[other, default: []].append(.takesNoPart)
      case .found(let policy):
        refusals[other] = policy.refusal(of: relationships[other], unknownBecause: fault)
      }
      if relationships[other] == nil { notes[other, default: []].append(.relationshipNotLearned) }
      if draft.kind == .friend, friendship?.isFriend == true { alreadyMet.insert(other) }
      // The end in the own policy is for new requests; it must not replace one that may be accepted already.
      if draft.expiresAt == nil, let open = friendship?.asked.standingRequest, open.kind == draft.kind {
        alreadyMet.insert(other)
      }
      if friendship?.isRequestedBy == true, friendship?.askedBy.request?.kind == draft.kind {
        notes[other, default: []].append(.hasAskedYou)
      }
    }
  }

  /// Whether a plan writes the account's first request or answer.
  public func isFirst(_ plan: ChangePlan) -> Bool {
    !hasRecords && plan.changes.contains { $0.steps.contains { $0.writes.contains(where: \.makesRecord) } }
  }

  /// A planned change with what was found out about the account.
  public func checked(_ planned: PlannedChange) -> PlannedChange {
    guard let other = planned.change.account else { return planned }
    if planned.refusal == .requestUnknown { return planned.refused(.requestUnknown.because(causes[other])) }
    guard planned.refusal == nil else { return planned }
    if let refusal = refusals[other] { return planned.refused(refusal) }
    if alreadyMet.contains(other) { return planned.held }
    var planned = planned
    if !planned.holds { planned.notes += notes[other] ?? [] }
    return planned
  }
}

extension Friendship.RequestState {
  /// The request, if it is open or accepted.
  fileprivate var standingRequest: FriendRequest? {
    switch self {
    case .open(let request), .accepted(let request, _): request
    case .none, .expired, .unknown: nil
    }
  }
}

extension FriendRequestDraft {
  /// The draft with the end that the own policy names, if it has none.
  fileprivate func ending(
    by account: AuthorizedAccount, _ friends: Friendships, _ now: Instant
  ) async throws -> FriendRequestDraft {
    guard expiresAt == nil, let lifetime = try await friends.policy(of: account.did)?.requestLifetime else {
      return self
    }
    return FriendRequestDraft(kind, expiresAt: Datetime(at: now + lifetime))
  }
}

extension FriendPolicy {
  /// Why the policy excludes a request; nil if it does not.
  ///
  /// - Parameter fault: why the relationship is unknown.
  func refusal(
    of relationship: RelationshipInfo?, unknownBecause fault: RelationshipError? = nil
  ) -> ChangeRefusal? {
    switch whoMayAsk {
    case .everyone: return nil
    case .nobody: return .takesNoRequests
    case .unknown(let word): return .unknownPolicy(word)
    case .followers, .mutuals:
      guard let relationship else { return .standingUnknown.because(fault) }
      let isAllowed = whoMayAsk == .followers ? relationship.isFollowing : relationship.mutual
      return isAllowed ? nil : .takesRequestsOf(whoMayAsk)
    }
  }
}

extension Workspace {
  /// Friendships as the repositories tell them now.
  package func friendships() -> Friendships { Friendships(listings(by: appview, usingCache: true)) }
}
