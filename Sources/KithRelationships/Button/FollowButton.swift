// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What a follow button shows of another account, and what a tap on it does: a value, made of what is known.
///
/// ```swift
/// var button = FollowButton()
/// for await relationship in service.observe(actor: me, target: bob) {
///   button.show(relationship)
///   show(button.state, button.action as Any)
/// }
/// ```
///
/// There is one primary ``state``. What stands beside it, such as a mute, has properties of its own. Only the
/// relationship is needed; the rest is shown if the app reads it.
public struct FollowButton: Sendable, Hashable {
  /// What the button says.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Neither account follows the other.
    case follow
    /// Only the other account follows.
    case followBack
    /// The account follows the other one; whether it is followed, ``FollowButton/followsYou`` says.
    case following
    /// Both follow each other.
    case mutual
    /// The account has asked to follow or to be friends, and waits for the answer.
    case requested
    /// A change is under way; ``FollowButton/upcoming`` is what it leads to.
    case busy
    /// The account blocks the other one with a record of its own.
    case blocked
    /// The account blocks the other one by ``FollowButton/blockingList`` only.
    case blockedByList
    /// The other account blocks this one, directly or by ``FollowButton/blockedByList``.
    case blocksYou
    /// The other account is not there; ``FollowButton/absence`` says why.
    case gone
    /// Nothing is known, or too little to say more. Never shown as ``follow``.
    case unknown
  }

  /// What a tap does.
  public enum Action: Sendable, Hashable {
    case follow
    case unfollow
    /// Ask to follow, because the other account wants to be asked first.
    case request
    /// Withdraw the request.
    case cancelRequest
    case unblock
    /// Show the list that blocks the account: remove it there to end the block.
    case openList(ATURI)
    /// Request the relationship again: ``FollowRelationshipService/refresh(actor:target:)``.
    case checkAgain
  }

  /// How the account mutes the other one.
  public enum Mute: Sendable, Hashable {
    /// Directly, with this scope.
    case direct(MuteScope)
    /// By a list.
    case byList(ATURI)
    /// All posts, directly or by a list: relationships do not say which.
    case whole
  }

  /// The relationship that is shown.
  public private(set) var relationship: ObservedRelationship
  /// What the accounts have asked of each other; nil if it was not read.
  public private(set) var friendship: Friendship?
  /// The terms on which the other account takes part in friend requests; nil if it has none, or none were read.
  public var policy: FriendPolicy?
  /// The status of the other account, such as from its profile; nil if it was not read.
  public var status: AccountStatus?
  /// How the account mutes the other one, from a profile; nil for what the relationship says.
  public var profileMute: Mute?
  /// When the mute ends by itself; nil for never. Ends are kept by the app: servers know none.
  public var muteEnds: Datetime?

  /// The change that a tap began.
  private var underway: Action?
  /// Why it was not made.
  private var failure: ChangeFailure?
  /// The request that was just made or withdrawn, until ``friendship`` is read again.
  private var made: Action?

  /// Creates a button of which nothing is known, or a relationship.
  public init(_ relationship: ObservedRelationship = ObservedRelationship(nil, .lastKnown)) {
    self.relationship = relationship
  }

  // MARK: What is learned

  /// Shows a relationship. It must be seen by the account that taps.
  public mutating func show(_ relationship: ObservedRelationship) {
    // A newer change is under way, or has ended: the reason of an older one is over.
    if relationship.state == .pending || relationship.state == .accepted { failure = nil }
    self.relationship = relationship
  }

  /// Shows what the accounts have asked of each other. While a request is sent or withdrawn it is ignored, because it may
  /// be older: read it again after ``finish(_:)``.
  public mutating func show(_ friendship: Friendship) {
    if underway == .request || underway == .cancelRequest { return }
    self.friendship = friendship
    made = nil
  }

  // MARK: Taps

  /// Begins what a tap does.
  ///
  /// - Returns: what to do; then call ``finish(_:)``. Nil if there is nothing to do, or a change is under way.
  public mutating func tap() -> Action? {
    guard state != .busy, let action else { return nil }
    failure = nil
    switch action {
    case .follow, .unfollow, .request, .cancelRequest, .unblock: underway = action
    case .openList, .checkAgain: break
    }
    return action
  }

  /// Ends what a tap began.
  ///
  /// - Parameter failure: why the change was not made; the former state is shown again. Nil if it was made.
  public mutating func finish(_ failure: ChangeFailure? = nil) {
    if failure == nil, underway == .request || underway == .cancelRequest { made = underway }
    self.failure = failure
    underway = nil
  }

  // MARK: State

  /// The primary state.
  public var state: State {
    if absence != nil { return .gone }
    return isBusy ? .busy : settled
  }

  /// What a tap does now; nil if nothing can be done.
  public var action: Action? {
    switch state {
    case .follow, .followBack: request ?? .follow
    case .following, .mutual: .unfollow
    case .requested: .cancelRequest
    case .blocked: .unblock
    case .blockedByList: blockingList.map(Action.openList)
    case .unknown: .checkAgain
    case .blocksYou, .gone, .busy: nil
    }
  }

  /// What the change under way leads to; nil if there is none.
  public var upcoming: State? {
    guard state == .busy else { return nil }
    switch underway {
    case .follow where settled == .follow: return .following
    case .follow where settled == .followBack: return .mutual
    case .unfollow where settled == .following: return followsYou == nil ? .unknown : .follow
    case .unfollow where settled == .mutual: return .followBack
    case .request: return .requested
    case .cancelRequest: return unasked
    case .unblock where settled == .blocked: return unblocked
    default: return settled
    }
  }

  private var isBusy: Bool { underway != nil || relationship.state == .pending }

  /// The state without a change that was not made yet.
  private var settled: State { directlyBlocks ? .blocked : unblocked }

  /// The same without a block of the account's own.
  private var unblocked: State {
    guard let info else { return .unknown }
    if blockingList != nil { return .blockedByList }
    if info.isBlockedBy { return .blocksYou }
    if info.isFollowing { return info.isFollowedBy ? .mutual : .following }
    if info.isPartial { return .unknown }
    switch isRequested {
    case true?: return .requested
    // Whether a tap asks or takes back what was asked is unknown.
    case nil where policy?.requiresApproval == true && friendship != nil: return .unknown
    case nil, false?: return unasked
    }
  }

  private var unasked: State { info.map { $0.isFollowedBy ? .followBack : .follow } ?? .unknown }

  /// Asking in place of following, if the other account wants that; nil if a follow needs no request.
  private var request: Action? {
    guard policy?.requiresApproval == true else { return nil }
    if case .accepted? = friendship?.asked { return nil }
    return .request
  }

  private var isRequested: Bool? {
    switch made {
    case .request?: true
    case .cancelRequest?: false
    default: friendship.map(\.isRequested) ?? false
    }
  }

  private var info: RelationshipInfo? { relationship.info }

  /// Whether the account blocks with a record of its own: a block by a list may stand in the same field (Q7).
  private var directlyBlocks: Bool { info?.blocking?.collection == .block }
}

// MARK: Beside the state

extension FollowButton {
  /// Whether the other account follows; nil if unknown.
  public var followsYou: Bool? { info.flatMap { $0.isPartial && !$0.isFollowedBy ? nil : $0.isFollowedBy } }

  /// The list by which the account blocks the other one, also if it blocks directly; nil if none.
  public var blockingList: ATURI? {
    info.flatMap { $0.blockingByList ?? (directlyBlocks ? nil : $0.blocking) }
  }

  /// The list by which the other account blocks; nil if none.
  public var blockedByList: ATURI? { info?.blockedByList }

  /// How the account mutes the other one; nil if it does not, or if that is unknown.
  public var mute: Mute? {
    // Relationships tell only whether all posts are muted; that may have changed since the profile was read.
    let isOfSome = if case .direct(let scope)? = profileMute { scope != .everything } else { false }
    return switch info?.muted {
    case false?: isOfSome ? profileMute : nil
    case true?: isOfSome ? .whole : profileMute ?? .whole
    case nil: profileMute
    }
  }

  /// Why the other account is not there: ``AccountStatus/deactivated``, ``AccountStatus/suspended`` or
  /// ``AccountStatus/deleted``; nil if it is, or if that is unknown.
  public var absence: AccountStatus? {
    if case .failed(let error) = relationship.state {
      switch error.code {
      case .actorNotFound: return .deleted
      case .accountDeactivated: return .deactivated
      case .accountTakenDown: return .suspended
      default: break
      }
    }
    switch status {
    case .deactivated, .suspended, .deleted: return status
    case .active, .invalidHandle, nil: return nil
    }
  }

  /// Since when the account follows, as the key of its record claims (Q15).
  public var followingSince: Datetime? { info?.following?.claimedDate }

  /// The request of the account that waits for an answer; nil if there is none, or if it was not read.
  public var openRequest: FriendRequest? {
    guard made != .cancelRequest, friendship?.isRequested == true else { return nil }
    return friendship?.asked.request
  }

  /// Whether what is shown may be out of date: it is from an earlier time, and was not confirmed.
  public var isLastKnown: Bool {
    switch relationship.state {
    case .lastKnown, .failed: true
    case .fresh, .pending, .accepted, .rolledBack: false
    }
  }

  /// What went wrong, and the way out; nil if nothing did.
  public var problem: Problem? {
    if absence != nil || isBusy { return nil }
    if let failure { return .change(failure) }
    return switch relationship.state {
    case .rolledBack(let failure): .change(failure)
    case .failed(let error): .lookup(error)
    case .lastKnown, .fresh, .pending, .accepted: nil
    }
  }

  /// What went wrong.
  public enum Problem: Sendable, Hashable {
    /// The last change was not made.
    case change(ChangeFailure)
    /// The relationship could not be requested.
    case lookup(RelationshipError)

    /// What may help.
    public enum WayOut: Sendable, Hashable {
      /// The same again, after a time if the server names one.
      case tryAgain(after: Duration?)
      /// The same again from this time on.
      case wait(until: Datetime)
      /// Sign in again.
      case signIn
    }

    /// What may help; nil if nothing is known to.
    public var wayOut: WayOut? {
      switch self {
      case .change(.refused(let refusal)): refusal.code == .notLearned ? .tryAgain(after: nil) : nil
      case .change(.budgetExhausted(let end)): end.map(WayOut.wait)
      case .change(.failed(let error)):
        switch error.code {
        case .rateLimited, .unavailable, .inDoubt, .outdated, .invalidResponse:
          .tryAgain(after: error.retryAfter)
        case .notAuthorized: .signIn
        default: nil
        }
      case .lookup(let error):
        switch error.code {
        case .networkError, .rateLimited, .invalidResponse: .tryAgain(after: error.retryAfter)
        case .clientNotConfigured: .signIn
        default: nil
        }
      }
    }
  }
}
