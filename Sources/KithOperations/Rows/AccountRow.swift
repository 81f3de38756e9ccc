// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// A signed-in account.
package struct AccountRow: OperationRow {
  package let did: DID
  /// Nil if the stored session cannot be read.
  package let session: Session?
  /// Whether it is the current account.
  package let isCurrent: Bool
  /// Why the session cannot be used.
  package let failure: (any Error)?
  /// ``failure`` in the words of the caller.
  package var reason: String?

  package init(did: DID, session: Session?, isCurrent: Bool, failure: (any Error)? = nil) {
    self.did = did
    self.session = session
    self.isCurrent = isCurrent
    self.failure = failure
    reason = failure.map { "\($0)" }
  }

  /// Fields: did, handle, pds, current (a flag), active (a flag), status (why it is inactive), serverHandle (if the
  /// server says another handle), error (why the session cannot be used). Null if the session cannot be read.
  package static let fieldNames = [
    "did", "handle", "pds", "current", "active", "status", "serverHandle", "error",
  ]

  package func write(to fields: inout RowEncoder) {
    fields.text(did.description)
    fields.text(session?.handle.description)
    fields.text(session?.pds.description)
    fields.flag(isCurrent)
    fields.flag(session?.isActive)
    fields.text(session?.status)
    fields.text(session?.serverHandle?.description)
    fields.text(reason)
  }
}
