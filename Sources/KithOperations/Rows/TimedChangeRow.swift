// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships
package import KithWriting

/// Something that a job made and that is to be undone at a time.
public struct TimedChangeRow: OperationRow {
  package let change: TimedChange
  /// The known names of the account that it is about.
  public let view: AccountView?

  package init(change: TimedChange, view: AccountView?) {
    self.change = change
    self.view = view
  }

  /// Fields: until (when it is undone), verb (title of the job), did (null for a list), handle, subject (DID or AT-URI),
  /// scope (of a mute), state (done, pending, inDoubt), job (its number), account (whose relationship it is).
  public static let fieldNames = [
    "until", "verb", "did", "handle", "subject", "scope", "state", "job", "account",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(change.until?.description)
    fields.text(change.job.title)
    fields.text(change.account?.description)
    fields.text(view?.handle?.description)
    fields.text(change.item.step.subjectText(in: change.job.account))
    fields.text(change.mute?.scope.rawValue)
    fields.text(change.item.state.kind.rawValue)
    fields.number(Int(change.job.id.number))
    fields.text(change.job.account.description)
  }
}
