// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithHistory
public import KithRelationships

/// A watched account.
public struct WatchRow: OperationRow {
  public let actor: WatchedActor
  /// The known names of the account.
  public let view: AccountView?
  /// When the last complete snapshot ended.
  public let snapshotAt: Instant?

  public init(actor: WatchedActor, view: AccountView?, snapshotAt: Instant?) {
    self.actor = actor
    self.view = view
    self.snapshotAt = snapshotAt
  }

  /// Fields: did, handle, since (when it was added), snapshotAt (of the last complete snapshot).
  public static let fieldNames = ["did", "handle", "since", "snapshotAt"]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor.actor)
    fields.text(view?.handle?.description)
    fields.text(Datetime(at: actor.since).description)
    fields.text(snapshotAt.map { Datetime(at: $0).description })
  }
}
