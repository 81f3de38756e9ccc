// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account as its DID document and its handle describe it.
public struct Identity: Sendable, Hashable {
  /// The account's lasting name.
  public let did: DID
  /// The handle that the document claims, proven or not.
  public let handle: Handle?
  /// Whether the handle leads back to the DID; nil when that could not be learned.
  public let handleIsProven: Bool?
  /// The server of the account's repository.
  public let pds: ServiceURL?
  /// The key that signs its commits, as a `did:key`.
  public let signingKey: DID?
}
