// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithHistory
package import KithRelationships

/// A watched account.
package struct WatchRow: OperationRow {
  package let actor: WatchedActor
  /// The known names of the account.
  package let view: AccountView?
  /// When the last complete snapshot ended.
  package let snapshotAt: Instant?

  /// Fields: did, handle, since (when it was added), snapshotAt (of the last complete snapshot).
  package static let fieldNames = ["did", "handle", "since", "snapshotAt"]

  package func write(to fields: inout RowEncoder) {
    fields.text(actor.actor)
    fields.text(view?.handle?.description)
    fields.text(Datetime(at: actor.since).description)
    fields.text(snapshotAt.map { Datetime(at: $0).description })
  }
}
