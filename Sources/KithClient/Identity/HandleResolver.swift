// SPDX-License-Identifier: Apache-2.0

package import KithCore
internal import KithLexicons

/// The account that a handle resolves to.
package struct ResolvedHandle: Sendable, Hashable {
  /// The account.
  package let did: DID
  /// The account's display name, if the response had it; text written by a stranger.
  package let displayName: String?

  /// Creates a value from a response.
  package init(_ did: DID, displayName: String? = nil) {
    self.did = did
    self.displayName = displayName
  }
}

/// Resolves handles to DIDs through an AppView, 25 per call.
///
/// `getProfiles` leaves out accounts that it cannot show (Q14); those are resolved one by one with
/// `resolveHandle`, which also knows suspended and deactivated accounts. Does not cache;
/// ``IdentityDirectory`` does.
package struct HandleResolver: Sendable {
  /// The maximum number of handles per call: `getProfiles.actors` in its lexicon.
  package static let batchSize = 25

  /// The AppView to ask.
  package let client: XRPCClient

  /// Creates a resolver that asks an AppView.
  package init(client: XRPCClient) { self.client = client }

  /// Resolves up to ``batchSize`` handles; each has its own outcome.
  ///
  /// - Throws: `CancellationError` only.
  package func dids(of handles: [Handle]) async throws -> [Handle: Result<DID, IdentityError>] {
    try await accounts(of: handles).mapValues { $0.map(\.did) }
  }

  /// Resolves handles as ``dids(of:)`` does, with the display names of the accounts.
  ///
  /// - Throws: `CancellationError` only.
  package func accounts(of handles: [Handle]) async throws -> [Handle: Result<ResolvedHandle, IdentityError>]
  {
    var outcomes: [Handle: Result<ResolvedHandle, IdentityError>] = [:]
    do {
      let parameters = App.Bsky.Actor.GetProfiles.Parameters(actors: handles.map(ATIdentifier.handle))
      let wanted = Set(handles)
      let answer = try await client.query(
        App.Bsky.Actor.GetProfiles.self, parameters, reading: ProfileNames.self)
      for profile in answer.profiles where wanted.contains(profile.handle) {
        outcomes[profile.handle] = .success(ResolvedHandle(profile.did, displayName: profile.displayName))
      }
    } catch let error as XRPCError where error.status == 400 || error.code == .invalidResponse {
      // One handle that the server rejects, or one profile that violates the lexicon, fails the whole call,
      // so each is resolved alone.
    } catch let error as XRPCError {
      for handle in handles { outcomes[handle] = .failure(Self.unavailable(handle, error)) }
    }
    // One failure does not stop the others: if the host fails them all, its circuit breaker opens, and they
    // fail without delay.
    for handle in handles where outcomes[handle] == nil {
      outcomes[handle] = try await lookUp(handle).map { ResolvedHandle($0) }
    }
    return outcomes
  }

  /// Resolves one handle with `resolveHandle`, which a PDS answers too.
  ///
  /// - Throws: `CancellationError` only.
  func lookUp(_ handle: Handle) async throws -> Result<DID, IdentityError> {
    do {
      let parameters = Com.Atproto.Identity.ResolveHandle.Parameters(handle: handle)
      return .success(try await client.query(Com.Atproto.Identity.ResolveHandle.self, parameters).did)
    } catch let error as XRPCError where error.saysNotFound {
      return .failure(
        IdentityError(.notFound, subject: handle, detail: "no account has this handle", underlying: error))
    } catch let error as XRPCError {
      return .failure(Self.unavailable(handle, error))
    }
  }

  private static func unavailable(_ handle: Handle, _ error: XRPCError) -> IdentityError {
    IdentityError(
      error.code == .rateLimited ? .rateLimited : .unavailable, subject: handle,
      detail: "the handle could not be resolved: \(error)", retryAfter: error.retryAfter, underlying: error)
  }
}
