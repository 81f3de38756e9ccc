// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Keeps what an ``IdentityDirectory`` finds beyond the life of a process: handles and documents that were found, and
/// nothing that was not.
///
/// Moments are microseconds since 1970. Nothing fails for want of it: what cannot be read is asked for, and what cannot
/// be written is not kept.
public protocol IdentityStore: Sendable {
  /// The accounts of those handles that were asked about within a time.
  func accounts(of handles: [Handle], askedWithin time: ClosedRange<Int64>) async -> [Handle: ResolvedHandle]
  /// The document of a DID, where it was asked for within a time.
  func document(of did: DID, askedWithin time: ClosedRange<Int64>) async -> DIDDocument?
  /// Keeps the accounts of handles, which have just been asked about.
  func keep(_ accounts: [Handle: ResolvedHandle], at now: Int64) async
  /// Keeps a document, which has just been asked for.
  func keep(_ document: DIDDocument, at now: Int64) async
}
