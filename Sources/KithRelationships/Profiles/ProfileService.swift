// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithLexicons

/// Profiles as an account sees them, requested 25 per call and cached for a time.
///
/// Optimistic updates of a `RelationshipWriter` of the same account appear here at once, and are rolled
/// back if they are refused: they change the counts and a profile's `following` state. A lagging AppView is
/// corrected in the same way (Q21). Whether a count of followers includes the account's follow is shown by
/// the `following` state of the same answer. For the account's own count there is no such indication: a
/// count that moved in the right direction is assumed to include the changes, so changes by other devices
/// may make it wrong by as many until the next request. A `LiveSource` of `KithHistory`, whose service shares the overlay, adds
/// what others do to the counts of a cached profile, from when that was requested on.
///
/// ```swift
/// let profiles = ProfileService(account: me, client: signedIn, overlay: service.overlay)
/// let writer = RelationshipWriter(account: me, pds: signedIn, relationships: service, profiles: profiles)
/// try await writer.follow(alice)
/// show(try await profiles.profile(of: alice).followersCount ?? 0)
/// ```
public final class ProfileService: Sendable {
  /// A profile with its counts; see `app.bsky.actor.defs#profileViewDetailed`.
  public typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  /// How long profiles are kept, and how many.
  public struct Policy: Sendable, Hashable {
    /// Lifetime of a profile; zero turns the cache off.
    public var lifetime: Duration
    /// The most profiles kept, at about a kilobyte each; the least recently used is evicted.
    public var capacity: Int
    /// The most concurrent calls per query.
    public var concurrency: Int

    /// Five minutes, 2,000 profiles, eight calls.
    public init(lifetime: Duration = .seconds(300), capacity: Int = 2_000, concurrency: Int = 8) {
      self.lifetime = lifetime
      self.capacity = capacity
      self.concurrency = concurrency
    }
  }

  /// The most profiles per call: `actors` in the lexicon of `app.bsky.actor.getProfiles`.
  package static let profilesPerCall = 25

  /// An answer of which some profiles may be unreadable.
  private struct Profiles: Decodable { let profiles: ReadableElements<Profile> }

  private struct State {
    var shelf: ProfileCache
    var underWay = SharedBatches<DID, Profile>()
    /// Number of invalidations; an answer to an older request is not cached.
    var generation = 0
  }

  /// The account that sees the profiles.
  public let account: DID
  private let client: XRPCClient
  private let policy: Policy
  /// Recent changes by the account, which the AppView may not show yet.
  package let overlay: OptimisticOverlay
  private let state: PosixMutex<State>

  /// Creates a service with an empty cache.
  ///
  /// - Parameters:
  ///   - account: the account that sees the profiles.
  ///   - client: a client for an AppView, signed in as the account so that profiles show what it follows;
  ///     without a session their counts are not corrected. Its clock measures lifetimes.
  ///   - overlay: the account's recent changes; share that of a ``FollowRelationshipService``. Nil for one of its own.
  public init(
    account: DID, client: XRPCClient, policy: Policy = Policy(), overlay: OptimisticOverlay? = nil
  ) {
    self.account = account
    self.client = client
    self.policy = policy
    let overlay = overlay ?? OptimisticOverlay(time: client.time)
    self.overlay = overlay
    state = PosixMutex(
      State(shelf: ProfileCache(account: account, policy: policy, overlay: overlay, time: client.time)))
    overlay.serve(.profiles, countedBy: self)
  }

  /// One profile; needs a second call if the AppView leaves the account out, to find out why.
  ///
  /// - Throws: ``RelationshipError``: `actorNotFound` if there is no such account, `accountTakenDown` or
  ///   `accountDeactivated` if it is not shown (Q14); `CancellationError`.
  public func profile(of account: DID) async throws -> Profile {
    let profiles = try await profiles(of: [account])
    if let profile = profiles[account] { return profile }
    typealias Method = App.Bsky.Actor.GetProfile
    let (askedAt, generation) = (client.time.now, state.withLock(\.generation))
    do {
      let profile = try await client.query(Method.self, Method.Parameters(actor: .did(account)))
      guard profile.did == account else {
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "did", "\(profile.did) instead of \(account)")
      }
      return state.withLock { state in
        state.shelf.store(profile, askedAt: askedAt, isKept: state.generation == generation)
        return state.shelf.shown(account) ?? state.shelf.corrected(profile)
      }
    } catch let error as XRPCError where error.saysNotFound {
      throw RelationshipError.actorNotFound(account)
    } catch {
      if let error = error as? XRPCError, let hidden = RelationshipError.hiddenAccount(account, error) {
        throw hidden
      }
      throw RelationshipError.wrapping(error) ?? error
    }
  }

  /// Several profiles. Cached profiles need no call, and requests in progress are shared.
  ///
  /// - Returns: the profiles; accounts that the AppView does not show, such as deactivated ones, are left
  ///   out (Q14), and so are those whose profile cannot be read: ``profile(of:)`` says which it is.
  /// - Throws: ``RelationshipError`` if a call fails, although the results of the others are cached;
  ///   `CancellationError`.
  public func profiles(of accounts: [DID]) async throws -> [DID: Profile] {
    var (profiles, missing) = state.withLock { $0.shelf.cached(accounts) }
    if !missing.isEmpty {
      let batches = missing.parts(of: Self.profilesPerCall)
      do {
        for learned in try await batches.concurrentMap(atMost: policy.concurrency, share) {
          profiles.merge(learned) { _, new in new }
        }
      } catch {
        throw RelationshipError.wrapping(error) ?? error
      }
    }
    // The current state: something may have been learned or changed since an answer arrived.
    return state.withLock { state in
      var shown: [DID: Profile] = [:]
      for (account, profile) in profiles {
        shown[account] = state.shelf.shown(account) ?? state.shelf.corrected(profile)
      }
      return shown
    }
  }

  /// The cached profile of an account, without a call.
  public func cachedProfile(of account: DID) -> Profile? {
    state.withLock { $0.shelf.shown(account) }
  }

  /// Removes a profile from the cache, so the next query requests it again.
  public func invalidate(_ account: DID) {
    state.withLock { state in
      state.shelf.forget(account)
      state.underWay.forget(account)
      state.generation += 1
    }
  }

  /// Removes all profiles from the cache.
  public func clearCache() {
    state.withLock { state in
      state.shelf.forgetAll()
      state.underWay.forgetAll()
      state.generation += 1
    }
  }

  // MARK: Requests

  /// Waits for the accounts of a batch that are already being requested, and requests the rest in one call.
  private func share(_ accounts: [DID]) async throws -> [DID: Profile] {
    let works = state.withLock { state in
      let generation = state.generation
      return state.underWay.join(accounts) { remaining, number in
        SharedWork { try await self.ask(for: remaining, as: number, in: generation) }
      }
    }
    return try await SharedBatches.outcomes(of: works, about: accounts)
  }

  private func ask(for accounts: [DID], as number: Int, in generation: Int) async throws -> [DID: Profile] {
    typealias Method = App.Bsky.Actor.GetProfiles
    defer { state.withLock { $0.underWay.end(number, of: accounts) } }
    let askedAt = client.time.now
    let answer = try await client.query(
      Method.self, Method.Parameters(actors: accounts.map(ATIdentifier.did)), reading: Profiles.self)
    let wanted = Set(accounts)
    var profiles: [DID: Profile] = [:]
    for (index, profile) in answer.profiles.elements.enumerated() {
      guard wanted.contains(profile.did) else {
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "profiles[\(index)].did", "\(profile.did) was not requested")
      }
      profiles[profile.did] = profile
    }
    state.withLock { state in
      for profile in profiles.values {
        state.shelf.store(profile, askedAt: askedAt, isKept: state.generation == generation)
      }
    }
    return profiles
  }
}

extension ProfileService: FollowCounter {
  func willShow(_ change: OptimisticOverlay.FollowChange, of actor: DID, about target: DID) {
    guard actor == account else { return }
    state.withLock { $0.shelf.count(change, about: target) }
  }

  func observe(_ edge: ObservedEdge) { state.withLock { $0.shelf.count(edge) } }

  func recount(_ accounts: Set<DID>) { for account in accounts { invalidate(account) } }
}
