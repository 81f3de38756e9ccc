// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// Shows what the account wants and does in the services of an app: in their caches, answers and change
/// notifications.
struct OptimisticPresenter: Sendable {
  let account: DID
  let observers: ChangeObservers

  private var service: FollowRelationshipService? { observers.service }
  private var profiles: ProfileService? { observers.profiles }

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
  func take(_ steps: [ChangeStep], knowing known: SubjectFacts) {
    observers.show(steps, isMutedByList: known.mute?.list != nil)
  }

  /// Returns whether an AppView shows a full mute once it has caught up; nil if a muted list hides that (Q9).
  private func shownAsMuted(_ mute: DesiredState.Mute, _ known: SubjectFacts) -> Bool? {
    known.mute?.list == nil ? mute == .scope(.everything) : nil
  }

  private func uri(_ write: RecordWrite) -> ATURI { uri(write.collection, write.rkey) }

  private func uri(_ collection: NSID, _ rkey: RecordKey) -> ATURI {
    ATURI(authority: .did(account), collection: collection, recordKey: rkey)
  }

  /// Shows the current intent optimistically, or rolls it back.
  ///
  /// - Parameter failure: the reason for a rollback.
  func show(
    _ state: inout IntentState, about subject: IntentKey, by planner: ChangePlanner,
    because failure: ChangeFailure?
  ) {
    guard let (other, kind) = subject.pair, service != nil || profiles != nil else { return }
    let takenBack: OptimisticOverlay.TakenBack?
    if let wished = state.machine.wished {
      var expected = OptimisticOverlay.Expected()
      expected.following = wished.follows.map {
        $0 ? .present(uri(state.reserve(.follow, other, planner))) : .absent
      }
      expected.blocking = wished.blocks.map {
        $0 ? .present(uri(state.reserve(.block, other, planner))) : .absent
      }
      expected.muted = wished.mute.flatMap { shownAsMuted($0, state.known) }
      takenBack = service?.overlay.wish(expected, kind, of: account, about: other)
      profiles?.wish(expected, kind, about: other)
    } else {
      takenBack = service?.overlay.refuse(kind, of: account, about: other)
      profiles?.endWish(kind, about: other)
    }
    // The state is unknown: the next query must load it.
    if failure?.isInDoubt == true { for account in [account, other] { profiles?.invalidate(account) } }
    service?.move(account, other, takingBack: takenBack, because: failure)
  }

  /// Shows that the repository has a record of what is wanted, even if the service does not show it.
  func hold(_ wish: DesiredState, _ known: SubjectFacts, about subject: IntentKey) {
    guard let (other, kind) = subject.pair else { return }
    var held = OptimisticOverlay.Expected()
    if wish.follows == true, let record = known.follows?.first {
      held.following = .there(uri(.follow, record.rkey))
    }
    if wish.blocks == true, let record = known.blocks?.first {
      held.blocking = .there(uri(.block, record.rkey))
    }
    if held.isEmpty { return }
    service?.overlay.take(held, kind, of: account, about: other)
    profiles?.hold(held, kind, about: other)
  }
}

extension IntentKey {
  /// The other account, and the kind of relationship; nil for lists.
  fileprivate var pair: (other: DID, kind: OptimisticOverlay.Kind)? {
    switch self {
    case .edges(let other): (other, .edges)
    case .mute(let other): (other, .mute)
    case .listBlock, .listMute: nil
    }
  }
}
