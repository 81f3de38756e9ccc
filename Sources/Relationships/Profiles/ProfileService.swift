// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
public import ATProtoLexicons

/// Profiles as an account sees them, asked for 25 a call and remembered for a time.
///
/// What a ``RelationshipWriter`` of the same account wishes and does shows here at once, and is taken back where it is
/// refused: the counts move along, and so does a profile's own word on whether the account follows it. An AppView
/// that lags behind is corrected likewise (Q21). Whether a count of followers holds the account's follow is told by
/// that word, in the same answer. Of the account's own count nothing tells it: a count that has moved the right way
/// is taken to hold what was done, so that changes by other devices may make it wrong by as many until it is asked
/// for again.
///
/// ```swift
/// let profiles = ProfileService(account: me, client: signedIn)
/// let writer = RelationshipWriter(account: me, pds: signedIn, relationships: service, profiles: profiles)
/// ```
public final class ProfileService: Sendable {
  /// A profile with its counts; see `app.bsky.actor.defs#profileViewDetailed`.
  public typealias Profile = App.Bsky.Actor.Defs.ProfileViewDetailed

  /// How long profiles are kept, and how many.
  public struct Policy: Sendable, Hashable {
    /// How long a profile is remembered; zero for not at all.
    public var lifetime: Duration
    /// The most profiles kept, at about a kilobyte each; the longest unused one makes room.
    public var capacity: Int
    /// The most calls under way at once for one question.
    public var concurrency: Int

    /// Five minutes, 2,000 profiles, eight calls.
    public init(lifetime: Duration = .seconds(300), capacity: Int = 2_000, concurrency: Int = 8) {
      self.lifetime = lifetime
      self.capacity = capacity
      self.concurrency = concurrency
    }
  }

  /// The most profiles of one call: `actors` in the lexicon of `app.bsky.actor.getProfiles`.
  public static let profilesPerCall = 25

  private struct State {
    var shelf: ProfileCache
    var underWay = SharedBatches<DID, Profile>()
    /// How often something was forgotten: an answer to a question from before is not remembered.
    var generation = 0
  }

  /// As whom the profiles are seen.
  public let account: DID
  private let client: XRPCClient
  private let policy: Policy
  private let state: PosixMutex<State>

  /// Remembers nothing yet.
  ///
  /// - Parameters:
  ///   - account: as whom the profiles are seen.
  ///   - client: asks an AppView in that account's name, so that profiles tell whom it follows; without a session
  ///     their counts stay as the AppView gives them. Its clock measures lifetimes.
  public init(account: DID, client: XRPCClient, policy: Policy = Policy()) {
    self.account = account
    self.client = client
    self.policy = policy
    state = PosixMutex(State(shelf: ProfileCache(account: account, policy: policy, time: client.time)))
  }

  /// One profile; costs a second call where the AppView leaves the account out, to learn why.
  ///
  /// - Throws: ``RelationshipError``: `actorNotFound` when there is no such account, `accountTakenDown` and
  ///   `accountDeactivated` when it is not shown (Q14); `CancellationError`.
  public func profile(of account: DID) async throws -> Profile {
    let profiles = try await profiles(of: [account])
    if let profile = profiles[account] { return profile }
    typealias Method = App.Bsky.Actor.GetProfile
    let (askedAt, generation) = (client.time.now, state.withLock(\.generation))
    do {
      let profile = try await client.query(Method.self, Method.Parameters(actor: .did(account)))
      guard profile.did == account else {
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "did", "it is \(profile.did), asked was \(account)")
      }
      return state.withLock { state in
        state.shelf.learn(profile, askedAt: askedAt, isKept: state.generation == generation)
        return state.shelf.shown(profile)
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

  /// Several profiles. What is remembered costs no call, and who is asked about already no second one.
  ///
  /// - Returns: whom the AppView does not show, as deactivated accounts, is left out (Q14).
  /// - Throws: ``RelationshipError`` when a call fails, what others had brought being remembered;
  ///   `CancellationError`.
  public func profiles(of accounts: [DID]) async throws -> [DID: Profile] {
    var (profiles, missing) = state.withLock { $0.shelf.remembered(accounts) }
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
    // As it stands now: something may have been learned or done since an answer came.
    return state.withLock { state in
      var shown: [DID: Profile] = [:]
      for (account, profile) in profiles {
        shown[account] = state.shelf.shown(state.shelf.remembered(account) ?? profile)
      }
      return shown
    }
  }

  /// What is remembered of a profile, without asking anybody.
  public func rememberedProfile(of account: DID) -> Profile? {
    state.withLock { state in state.shelf.remembered(account).map(state.shelf.shown) }
  }

  /// Forgets a profile, so that the next question asks anew.
  public func invalidate(_ account: DID) {
    state.withLock { state in
      state.shelf.forget(account)
      state.underWay.forget(account)
      state.generation += 1
    }
  }

  /// Forgets all profiles.
  public func clearCache() {
    state.withLock { state in
      state.shelf.forgetAll()
      state.underWay.forgetAll()
      state.generation += 1
    }
  }

  // MARK: Asking

  /// Waits for those of a batch that are being asked for already, and asks for the rest in one call.
  private func share(_ accounts: [DID]) async throws -> [DID: Profile] {
    let works = state.withLock { state in
      let generation = state.generation
      return state.underWay.join(accounts) { rest, number in
        SharedWork { try await self.ask(for: rest, as: number, in: generation) }
      }
    }
    return try await SharedBatches.outcomes(of: works, about: accounts)
  }

  private func ask(for accounts: [DID], as number: Int, in generation: Int) async throws -> [DID: Profile] {
    typealias Method = App.Bsky.Actor.GetProfiles
    defer { state.withLock { $0.underWay.end(number, of: accounts) } }
    let askedAt = client.time.now
    let answer = try await client.query(
      Method.self, Method.Parameters(actors: accounts.map(ATIdentifier.did)))
    let wanted = Set(accounts)
    var profiles: [DID: Profile] = [:]
    for (index, profile) in answer.profiles.enumerated() {
      guard wanted.contains(profile.did) else {
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "profiles[\(index)].did", "\(profile.did) was not asked for")
      }
      profiles[profile.did] = profile
    }
    state.withLock { state in
      for profile in profiles.values {
        state.shelf.learn(profile, askedAt: askedAt, isKept: state.generation == generation)
      }
    }
    return profiles
  }
}

extension ProfileService {
  // MARK: What a writer does

  /// Somebody wishes so, in place of what they wished before.
  package func wish(_ wished: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about target: DID) {
    state.withLock { $0.shelf.wish(wished, kind, about: target) }
  }

  /// Nothing is wished any more.
  package func endWish(_ kind: OptimisticOverlay.Kind, about target: DID) {
    state.withLock { $0.shelf.endWish(kind, about: target) }
  }

  /// The server has taken it.
  package func take(_ taken: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about target: DID) {
    state.withLock { $0.shelf.take(taken, kind, about: target) }
  }

  /// The repository has it already, though a profile may not show it.
  package func hold(_ held: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about target: DID) {
    state.withLock { $0.shelf.hold(held, kind, about: target) }
  }
}
