// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

/// Whose a handle is.
public struct ResolvedHandle: Sendable, Hashable {
  /// The account.
  public let did: DID
  /// What the account calls itself, where the answer told; a stranger's words.
  public let displayName: String?

  /// Puts together what an answer told.
  public init(_ did: DID, displayName: String? = nil) {
    self.did = did
    self.displayName = displayName
  }
}

/// Turns handles into DIDs through an AppView, 25 a call.
///
/// `getProfiles` leaves out whom it cannot show (Q14): those are asked for one by one with
/// `resolveHandle`, which knows suspended and deactivated accounts too. Asks anew each time;
/// ``IdentityDirectory`` remembers.
public struct HandleResolver: Sendable {
  /// The most handles of one call: `getProfiles.actors` in its lexicon.
  public static let batchSize = 25

  /// The AppView that is asked.
  public let client: XRPCClient

  /// Makes a resolver that asks an AppView.
  public init(client: XRPCClient) { self.client = client }

  /// Resolves up to ``batchSize`` handles; each has an outcome of its own.
  ///
  /// - Throws: `CancellationError` only.
  public func dids(of handles: [Handle]) async throws -> [Handle: Result<DID, IdentityError>] {
    try await accounts(of: handles).mapValues { $0.map(\.did) }
  }

  /// As ``dids(of:)``, with what the accounts call themselves.
  ///
  /// - Throws: `CancellationError` only.
  public func accounts(of handles: [Handle]) async throws -> [Handle: Result<ResolvedHandle, IdentityError>] {
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
      // One handle that the server dislikes, or one profile that breaks the lexicon, fails the whole call:
      // each is asked for alone.
    } catch let error as XRPCError {
      for handle in handles { outcomes[handle] = .failure(Self.unavailable(handle, error)) }
    }
    // One that fails is no reason to leave out the others: a host that fails them all is left alone by its
    // traffic, and costs them no time.
    for handle in handles where outcomes[handle] == nil {
      outcomes[handle] = try await lookUp(handle).map { ResolvedHandle($0) }
    }
    return outcomes
  }

  /// Resolves one handle by `resolveHandle`, which a PDS answers, too.
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
