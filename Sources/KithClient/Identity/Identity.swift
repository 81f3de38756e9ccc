// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// An account as described by its DID document and its handle.
public struct Identity: Sendable, Hashable {
  /// The account's permanent identifier.
  public let did: DID
  /// The handle that the document claims, verified or not.
  public let handle: Handle?
  /// Whether the handle resolves back to the DID; nil if that could not be determined. An AppView's answer
  /// counts only if the directory does not verify handles itself.
  public let handleIsProven: Bool?
  /// The sources that resolve the handle to this DID.
  package let verifiedBy: [HandleSource]
  /// The sources that resolve the handle to another DID, or to several.
  package let contradictedBy: [HandleSource]
  /// The server of the account's repository.
  public let pds: ServiceURL?
  /// The key that signs its commits, as a `did:key`.
  package let signingKey: DID?
}
