// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// A signed-in account.
public struct AccountRow: OperationRow {
  public let did: DID
  /// Nil if the stored session cannot be read.
  public let session: Session?
  /// Whether it is the current account.
  public let isCurrent: Bool
  /// Why the session cannot be used.
  public let failure: (any Error)?
  /// ``failure`` in the words of the caller.
  public var reason: String?

  public init(did: DID, session: Session?, isCurrent: Bool, failure: (any Error)? = nil) {
    self.did = did
    self.session = session
    self.isCurrent = isCurrent
    self.failure = failure
    reason = failure.map { "\($0)" }
  }

  /// Fields: did, handle, pds, current (a flag), active (a flag), status (why it is inactive), serverHandle (if the
  /// server says another handle), error (why the session cannot be used). Null if the session cannot be read.
  public static let fieldNames = [
    "did", "handle", "pds", "current", "active", "status", "serverHandle", "error",
  ]

  public func write(to fields: inout RowEncoder) {
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
