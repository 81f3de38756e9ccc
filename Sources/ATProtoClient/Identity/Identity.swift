// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account as its DID document and its handle describe it.
public struct Identity: Sendable, Hashable {
  /// The account's lasting name.
  public let did: DID
  /// The handle that the document claims, proven or not.
  public let handle: Handle?
  /// Whether the handle leads back to the DID; nil when that could not be learned. An AppView's word counts only where
  /// the directory has no ``HandleProver``.
  public let handleIsProven: Bool?
  /// The sources by which the handle leads to this DID.
  public let verifiedBy: [HandleSource]
  /// The sources by which it leads to another one, or to several.
  public let contradictedBy: [HandleSource]
  /// The server of the account's repository.
  public let pds: ServiceURL?
  /// The key that signs its commits, as a `did:key`.
  public let signingKey: DID?
}
