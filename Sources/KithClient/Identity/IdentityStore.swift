// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// A persistent cache for an ``IdentityDirectory``: handles and documents that were found, no failures.
///
/// The store never fails: what cannot be read is fetched, and what cannot
/// be written is not kept.
package protocol IdentityStore: Sendable {
  /// Returns the accounts of those handles that were resolved within a time range.
  func accounts(
    of handles: [Handle], askedWithin time: ClosedRange<Instant>
  ) async -> [Handle: ResolvedHandle]
  /// Returns the document of a DID, if it was fetched within a time range.
  func document(of did: DID, askedWithin time: ClosedRange<Instant>) async -> DIDDocument?
  /// Stores the accounts of handles that were just resolved.
  func keep(_ accounts: [Handle: ResolvedHandle], at now: Instant) async
  /// Stores a document that was just fetched.
  func keep(_ document: DIDDocument, at now: Instant) async
}
