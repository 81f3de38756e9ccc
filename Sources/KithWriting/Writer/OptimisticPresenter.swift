// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// Shows what the account wants and does in the services of an app: in their caches, answers and change
/// notifications.
struct OptimisticPresenter: Sendable {
  let account: DID
  let observers: ChangeObservers

  private var service: FollowRelationshipService? { observers.service }
  private var profiles: ProfileService? { observers.profiles }

  /// Whether there is anything to show changes in.
  var isObserved: Bool { service != nil || profiles != nil }

  /// Returns what the service shows for an account; nil without a service.
  func isFollowing(_ other: DID) async throws -> Bool? {
    guard let service else { return nil }
    do {
      return try await service.getRelationship(actor: account, target: other).isFollowing
    } catch let error as RelationshipError {
      throw ChangeFailure.failed(
        RepositoryError(
          .unavailable, detail: "\(error)", retryAfter: error.retryAfter, underlying: error))
    }
  }

  /// Shows steps that the server has carried out.
  func confirm(_ steps: [ChangeStep], knowing known: SubjectFacts) {
    observers.show(steps, isMutedByList: known.mute?.list != nil)
  }

  /// Returns whether an AppView shows a full mute once it has caught up; nil if a muted list hides that (Q9).
  private func shownAsMuted(_ isFull: Bool, _ known: SubjectFacts) -> Bool? {
    known.mute?.list == nil ? isFull : nil
  }

  private func uri(_ write: RecordWrite) -> ATURI { uri(write.collection, write.rkey) }

  private func uri(_ collection: NSID, _ rkey: RecordKey) -> ATURI {
    ATURI(authority: .did(account), collection: collection, recordKey: rkey)
  }

  /// Shows the current intent optimistically, or ends it.
  ///
  /// - Parameters:
  ///   - held: what the repository has without a change; shown if nothing is wanted any longer.
  ///   - failure: the reason for a rollback.
  func show(
    _ state: inout IntentState, about subject: IntentKey, by planner: ChangePlanner,
    holding held: OptimisticOverlay.Expected?, because failure: ChangeFailure?
  ) {
    guard let (other, kind) = subject.pair, service != nil || profiles != nil else { return }
    let rolledBack: OptimisticOverlay.RolledBackIntent?
    if let desired = state.desired {
      var expected = OptimisticOverlay.Expected()
      func edge(_ edge: RecordEdge) -> OptimisticOverlay.Edge? {
        desired.edges[edge].map { $0 ? .present(uri(state.reserve(edge, planner))) : .absent }
      }
      expected.following = edge(.follow(other))
      expected.blocking = edge(.block(other))
      expected.muted = desired.call.flatMap { shownAsMuted($0 == .mute(other, .everything), state.known) }
      rolledBack = observers.setPending(expected, kind, about: other)
    } else {
      rolledBack = observers.endPending(kind, about: other)
      if let held, !held.isEmpty { observers.hold(held, kind, about: other) }
    }
    // The state is unknown: the next query must load it.
    if failure?.isInDoubt == true { for account in [account, other] { profiles?.invalidate(account) } }
    service?.overlay.applyLocalChange(account, other, rollingBack: rolledBack, reason: failure)
  }

  /// What the repository and the AppView have for a subject, so that it is shown even if the AppView lags
  /// behind: records as well as their absence.
  ///
  /// - Parameter now: the time, by both clocks.
  func held(
    by state: IntentState, about subject: IntentKey, at now: (clock: Duration, wall: Instant)
  ) -> OptimisticOverlay.Expected {
    func edge(_ kind: EdgeKind) -> OptimisticOverlay.Edge? {
      guard let records = state.known.edges[kind], let readAt = state.readAt(.edges(kind)) else { return nil }
      if let record = records.first { return .present(uri(kind.collection, record.rkey)) }
      return .unrecorded(at: now.wall - max(.zero, now.clock - readAt))
    }
    var held = OptimisticOverlay.Expected()
    switch subject {
    case .edges(.account):
      held.following = edge(.follow)
      held.blocking = edge(.block)
    case .mute(.account):
      switch state.known.mute?.direct {
      case .absent: held.muted = shownAsMuted(false, state.known)
      case .scope(let scope): held.muted = shownAsMuted(scope == .everything, state.known)
      case .hidden, nil: break
      }
    case .edges, .mute: break
    }
    return held
  }

  /// Shows what other users of the journal did, to accounts of which nothing is wanted here.
  func confirm(_ edges: [DID: RecentEdges]) {
    for (other, recent) in edges {
      let taken = OptimisticOverlay.Expected(
        following: edge(of: recent.follow, in: .follow), blocking: edge(of: recent.block, in: .block))
      if taken.isEmpty { continue }
      observers.confirm(taken, .edges, about: other)
      service?.overlay.applyLocalChange(account, other)
    }
  }

  private func edge(of change: RecentEdges.Change?, in collection: NSID) -> OptimisticOverlay.Edge? {
    guard let change, !change.isInDoubt else { return nil }
    return change.made.map { .there(uri(collection, $0)) } ?? .gone(change.deleted)
  }
}

extension IntentKey {
  /// The other account, and the kind of relationship; nil for lists.
  fileprivate var pair: (other: DID, kind: OptimisticOverlay.Kind)? {
    switch self {
    case .edges(.account(let other)): (other, .edges)
    case .mute(.account(let other)): (other, .mute)
    case .edges, .mute: nil
    }
  }
}
