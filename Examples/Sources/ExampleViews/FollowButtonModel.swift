// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting
import Observation

/// A follow button on the page of an account.
///
/// In its view: `.task { await model.observe() }`, and `Button(…) { Task { await model.tap() } }`.
@Observable
public final class FollowButtonModel {
  /// What the button shows.
  public private(set) var button: FollowButton
  /// What there is to know about the last change, such as that a block hides the follow.
  public private(set) var notes: [ChangeNote] = []
  private let me: DID
  private let other: DID
  private let service: FollowRelationshipService
  private let writer: RelationshipWriter

  /// Shows what is remembered, so that the first frame is not empty.
  public init(_ other: DID, as me: DID, service: FollowRelationshipService, writer: RelationshipWriter) {
    (self.me, self.other, self.service, self.writer) = (me, other, service, writer)
    button = FollowButton(
      ObservedRelationship(service.remembered(actor: me, target: other), .lastKnown))
  }

  /// Follows the relationship until its task is cancelled.
  public func observe() async {
    for await relationship in service.observe(actor: me, target: other) { button.show(relationship) }
  }

  /// Does what a tap asks for. The button shows it at once, and rolls it back if the server does not accept it.
  public func tap() async {
    guard let action = button.tap() else { return }
    do {
      if let change = ChangeIntent(action, about: other) {
        notes = try await writer.make(change).notes
      } else if action == .checkAgain {
        try await service.refresh(actor: me, target: other)
      }
      button.finish()
    } catch {
      // Whatever `checkAgain` throws is observed as well.
      button.finish(error as? ChangeFailure)
    }
  }
}
