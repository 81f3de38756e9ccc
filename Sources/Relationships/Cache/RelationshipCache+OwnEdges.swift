// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension RelationshipCache {
  /// Changes what is remembered of a pair, as its actor's own doing makes it, and tells so before anybody else
  /// can change it again. Does nothing where nothing is remembered.
  ///
  /// It stays as old as it was: what the other account does is no better known for it.
  func move(
    _ actor: DID, _ target: DID, _ edit: (RelationshipInfo) -> RelationshipInfo,
    tell: (_ before: RelationshipInfo, _ now: RelationshipInfo) -> Void
  ) {
    guard let (position, _) = pairs.find(actor, target, at: now),
      case .known(let before)? = pairs.finding(of: actor, at: position)
    else { return }
    let moved = edit(before)
    guard !moved.holdsSameFacts(as: before) else { return }
    _ = pairs.insert(moved, until: pairs.expiry(at: position))
    tell(before, moved)
  }
}
