// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Answers which accounts follow or block each other, for two of them or for a hundred thousand.
///
/// ```swift
/// let service = FollowRelationshipService(client: appview)
/// if try await service.isFollowing(actor: alice, target: bob) { show("Alice follows Bob.") }
/// for try await answer in service.relationships(of: alice, with: accounts) { show(answer.state) }
/// ```
///
/// Duplicate targets are requested once, 30 share a call, and answers are cached for a time. A failed
/// lookup is never reported as "no": it is an error, or missing from the result.
public actor FollowRelationshipService {
  /// Configuration of a ``FollowRelationshipService``.
  public struct Configuration: Sendable, Hashable {
    /// Concurrent relationship calls of the service, for single queries and sequences together. Each
    /// sequence may have as many calls for handles and existence.
    public var concurrency: Int
    /// Which accounts are verified to exist.
    public var verification: Verification
    /// How long a partial batch waits for more targets of a stream, so a slow stream is answered as it
    /// arrives. Zero waits for the end of the stream.
    public var linger: Duration
    /// How long a query about a single pair waits for others, to share a call with them. Zero sends it at
    /// once.
    public var gatherWindow: Duration

    /// Eight concurrent calls; existence is not verified; one second; two milliseconds.
    public init(
      concurrency: Int = 8, verification: Verification = .off, linger: Duration = .seconds(1),
      gatherWindow: Duration = .milliseconds(2)
    ) {
      self.concurrency = concurrency
      self.verification = verification
      self.linger = linger
      self.gatherWindow = gatherWindow
    }
  }

  /// Which accounts are checked for existence.
  ///
  /// The AppView gives the same answer for a nonexistent account and for one without relationships (Q2).
  /// Verification costs one more call per 25 accounts, and one for each account that is missing there.
  public enum Verification: Sendable, Hashable {
    /// None: every DID is assumed to be an account.
    case off
    /// These, as actor or target, unless one of their edges proves that they exist.
    case only(Set<DID>)
    /// The actor and all targets.
    case all

    /// Whether an account is verified.
    func includes(_ account: DID) -> Bool {
      switch self {
      case .off: false
      // Usually one or two, which are faster to compare than to hash.
      case .only(let accounts):
        accounts.count <= 4 ? accounts.contains { $0 == account } : accounts.contains(account)
      case .all: true
      }
    }
  }

  /// Resolves handles; nil where only DIDs are asked about.
  private let identities: IdentityDirectory?
  private let configuration: Configuration
  private let sizes: AnswerWindow.Sizes
  private let time: TimeSource
  nonisolated let loader: RelationshipLoader
  nonisolated let broadcaster = ChangeBroadcaster()
  private let cachePolicy: RelationshipCache.Policy
  private let lastKnown: (store: any LastKnownRelationships, writer: LastKnownWriter)?
  /// Recent changes by accounts, which the source may not show yet.
  public nonisolated let overlay: OptimisticOverlay

  /// Creates a service for the client's AppView that caches answers for `cacheTTL` by the client's clock.
  ///
  /// - Parameter overlay: recent changes by accounts; share it with a ``ProfileService``. Nil for one of its own.
  public init(
    client: XRPCClient, cacheTTL: Duration = .seconds(300), overlay: OptimisticOverlay? = nil
  ) {
    let identities = IdentityDirectory(client: client)
    self.init(
      source: AppViewRelationshipSource(client: client, identities: identities), identities: identities,
      cachePolicy: RelationshipCache.Policy(lifetime: cacheTTL), overlay: overlay, time: client.time)
  }

  /// Creates a service for any source, such as one of a test, that caches answers for `cacheTTL`.
  ///
  /// - Parameter time: the clock for cache lifetimes.
  public init(
    source: any RelationshipSource, cacheTTL: Duration = .seconds(300),
    configuration: Configuration = Configuration(), time: TimeSource = .system
  ) {
    self.init(
      source: source, cachePolicy: RelationshipCache.Policy(lifetime: cacheTTL), configuration: configuration,
      time: time)
  }

  /// Creates a service for any source, with any cache.
  ///
  /// - Parameters:
  ///   - lastKnown: stores what is learned, for ``restoreLastKnown()`` in a later process; nil for none.
  ///   - overlay: recent changes by accounts; share it with a ``ProfileService``. Nil for one of its own.
  ///   - time: the clock for cache lifetimes.
  public init(
    source: any RelationshipSource, cachePolicy: RelationshipCache.Policy,
    lastKnown: (any LastKnownRelationships)? = nil,
    configuration: Configuration = Configuration(), overlay: OptimisticOverlay? = nil,
    time: TimeSource = .system
  ) {
    self.init(
      source: source, identities: nil, cachePolicy: cachePolicy, lastKnown: lastKnown,
      configuration: configuration, overlay: overlay, time: time)
  }

  /// Creates a service that can be asked about handles, too.
  ///
  /// - Parameter identities: resolves handles; nil if all targets are DIDs.
  package init(
    source: any RelationshipSource, identities: IdentityDirectory?,
    cachePolicy: RelationshipCache.Policy = RelationshipCache.Policy(),
    lastKnown: (any LastKnownRelationships)? = nil,
    configuration: Configuration = Configuration(), overlay: OptimisticOverlay? = nil,
    time: TimeSource = .system
  ) {
    self.cachePolicy = cachePolicy
    self.lastKnown = lastKnown.map { ($0, LastKnownWriter($0)) }
    let overlay = overlay ?? OptimisticOverlay(time: time)
    overlay.serve(.relationships)
    self.overlay = overlay
    self.identities = identities
    self.configuration = configuration
    self.time = time
    sizes = AnswerWindow.Sizes(
      resolve: HandleResolver.batchSize, verify: source.existenceBatchSize,
      window: Self.windowSize(concurrency: configuration.concurrency, batch: max(1, source.batchSize)))
    loader = RelationshipLoader(
      source: source, cachePolicy: cachePolicy, overlay: overlay, changes: broadcaster,
      lastKnown: self.lastKnown?.writer, concurrency: configuration.concurrency,
      gatherWindow: time.isManual ? .zero : configuration.gatherWindow, time: time)
    overlay.add(loader)
  }

  // MARK: Queries

  /// Whether the actor follows the target.
  ///
  /// - Throws: ``RelationshipError``, `actorNotFound` if either account is not found; `CancellationError`.
  public nonisolated func isFollowing(actor: DID, target: DID) async throws -> Bool {
    if !verifies(actor, target), let follows = loader.cachedFollow(of: actor, target) {
      return follows
    }
    return try await getRelationship(actor: actor, target: target).isFollowing
  }

  /// The relationship of two accounts; that of an account with itself has no edges (Q4).
  ///
  /// Concurrent queries, from any number of tasks, are batched; equal ones share one request.
  /// - Throws: ``RelationshipError``, `actorNotFound` if either account is not found; `CancellationError`.
  public nonisolated func getRelationship(actor: DID, target: DID) async throws -> RelationshipInfo {
    if verifies(actor, target) { return try await verifiedRelationship(actor, target) }
    if actor == target { return ownRelationship(of: actor) }
    return try await loader.finding(of: actor, with: target).info(of: target)
  }

  nonisolated func verifies(_ accounts: DID...) -> Bool {
    accounts.contains(where: configuration.verification.includes)
  }

  private nonisolated func verifiedRelationship(_ actor: DID, _ target: DID) async throws -> RelationshipInfo
  {
    for try await answer in relationships(of: actor, with: CollectionOfOne(target)) {
      switch answer.state {
      case .known(let info): return info
      case .itself: return ownRelationship(of: actor)
      case .notFound: throw RelationshipError.actorNotFound(target)
      case .failed(let error): throw error
      }
    }
    throw RelationshipError.invalidResponse
  }

  nonisolated func ownRelationship(of actor: DID) -> RelationshipInfo {
    .withItself(actor, at: Datetime(at: time.instant))
  }

  /// Whether the actor follows each of the targets; failed lookups are missing from the result, never
  /// false.
  ///
  /// - Throws: ``RelationshipError`` if the actor does not exist or every lookup failed;
  ///   `CancellationError`.
  public nonisolated func batchCheckFollows(actor: DID, targets: [DID]) async throws -> [DID: Bool] {
    if configuration.verification != .off {
      return try await follows(of: actor, asking: targets, knowing: [:])
    }
    let cached = loader.cachedFollows(of: actor, among: targets)
    if cached.missing.isEmpty { return cached.known }
    return try await follows(of: actor, asking: cached.missing, knowing: cached.known)
  }

  private nonisolated func follows(
    of actor: DID, asking targets: [DID], knowing known: [DID: Bool]
  ) async throws -> [DID: Bool] {
    var follows = known
    var fault: RelationshipError?
    for try await answer in relationships(of: actor, with: targets) {
      guard let target = answer.target else { continue }
      switch answer.state {
      case .known(let info): follows[target] = info.isFollowing
      case .itself: follows[target] = false
      case .notFound: break
      case .failed(let error): fault = fault ?? error
      }
    }
    if follows.isEmpty, let fault { throw fault }
    return follows
  }

  /// What is known about the targets, and the first failure; targets that do not exist are missing.
  ///
  /// - Throws: `CancellationError`.
  package nonisolated func known(
    of actor: DID, with targets: some Sequence<DID> & Sendable
  ) async throws -> (found: [DID: RelationshipInfo], fault: RelationshipError?) {
    var known: (found: [DID: RelationshipInfo], fault: RelationshipError?) = ([:], nil)
    for try await answer in relationships(of: actor, with: targets) {
      switch answer.state {
      case .known(let info): known.found[info.target] = info
      case .itself, .notFound: break
      case .failed(let error): known.fault = known.fault ?? error
      }
    }
    return known
  }

  /// The relationships of the actor with each of the targets, in order.
  public nonisolated func relationships(
    of actor: DID, with targets: some Sequence<DID> & Sendable
  ) -> RelationshipAnswers {
    // All targets are there: nothing arrives later that a batch could wait for.
    answers(of: actor, to: QuestionSequence(targets) { RelationshipQuestion($0) }, linger: .zero)
  }

  /// The relationships of the actor with each target of a stream, in order.
  public nonisolated func relationships(
    of actor: DID, with targets: some AsyncSequence<DID, any Error> & Sendable
  ) -> RelationshipAnswers {
    answers(of: actor, to: targets.map { [RelationshipQuestion($0)] })
  }

  /// Answers questions whose targets are named in any way; handles are resolved 25 per call.
  package nonisolated func answers(
    of actor: DID, to questions: some AsyncSequence<RelationshipQuestion, any Error> & Sendable
  ) -> RelationshipAnswers {
    answers(of: actor, to: questions.map { [$0] })
  }

  /// Answers questions that arrive in groups, such as from a file reader: passing them one by one would
  /// cost more than everything else.
  ///
  /// - Parameters:
  ///   - linger: nil for that of the configuration.
  ///   - verification: nil for that of the configuration.
  package nonisolated func answers(
    of actor: DID, to questions: some AsyncSequence<[RelationshipQuestion], any Error> & Sendable,
    linger: Duration? = nil, verification: Verification? = nil
  ) -> RelationshipAnswers {
    let parts = AnswerPipeline.Parts(
      actor: actor, loader: loader, identities: identities,
      verification: verification ?? configuration.verification,
      concurrency: max(1, configuration.concurrency), linger: linger ?? configuration.linger, time: time)
    return RelationshipAnswers(questions) { [sizes] in AnswerPipeline(parts, sizes: sizes) }
  }

  /// The maximum number of open questions: two rounds of full batches, so a slow batch does not idle the
  /// others.
  static func windowSize(concurrency: Int, batch: Int) -> Int { 2 * max(1, concurrency) * batch }

  // MARK: Cache

  /// Requests the relationship of two accounts even if it is cached, such as for pull-to-refresh. ``changes``
  /// tells every other view if it differs from what was known.
  ///
  /// If it fails, what is cached stays, unless the service verifies one of the accounts.
  /// - Throws: as ``getRelationship(actor:target:)``.
  @discardableResult
  public nonisolated func refresh(actor: DID, target: DID) async throws -> RelationshipInfo {
    if actor == target || verifies(actor, target) {
      loader.invalidate(actor, target)
      return try await getRelationship(actor: actor, target: target)
    }
    return try await loader.finding(of: actor, with: target, .new).info(of: target)
  }

  /// Invalidates a pair, including an answer in progress, so the next query requests it again. The old answer
  /// is kept, as expired: if the next one differs, ``changes`` reports it.
  public func invalidate(actor: DID, target: DID) { loader.invalidate(actor, target) }

  /// Loads relationships stored by an earlier process, for pairs that are not cached.
  ///
  /// They are stale: shown at once, and refreshed by the first query (stale-while-revalidate). This
  /// requires a ``RelationshipCache/Policy/staleLifetime``; relationships older than it and the lifetime
  /// together are ignored.
  /// - Returns: the number of relationships loaded.
  @discardableResult
  public func restoreLastKnown() async -> Int {
    guard let lastKnown, cachePolicy.staleLifetime > .zero else { return 0 }
    let age = cachePolicy.lifetime + cachePolicy.staleLifetime
    let oldest = Datetime(at: max(.epoch, time.instant - age))
    return loader.restore(
      await lastKnown.store.relationships(checkedSince: oldest, atMost: cachePolicy.capacity))
  }

  /// Waits until everything learned so far is stored, such as before an app ends.
  public func keepLastKnown() async { await lastKnown?.writer.finish() }

  /// Clears the cache, including answers in progress and the last known ones; the next queries request
  /// everything again.
  ///
  /// After ``keepLastKnown()`` they are gone from disk as well. While ``changes`` has subscribers, the old
  /// answers stay in memory, as expired: they answer no query, and what differs from them is reported. Observers are
  /// shown that nothing is known, until the answer to a new request arrives.
  public func clearCache() { loader.forgetAll() }

  /// Removes expired answers. While ``changes`` has subscribers, those stay that later answers are compared
  /// with.
  public func pruneCache() { loader.prune() }

  /// The counters of the cache.
  public var cacheStatistics: RelationshipCache.Statistics { loader.statistics }

  /// Relationships that differ from what was known before. Each access creates a new subscription.
  ///
  /// Two kinds of events are reported: answers that differ from earlier answers, and all changes of a
  /// `RelationshipWriter` or `ChangeObservers` of this service, with their rollbacks. A change is seen from the
  /// account that asked first, or that made the change: `actor` is that account, so a view that asks about
  /// (bob, alice) receives what Alice's writer does as (alice, bob).
  ///
  /// What others do is reported once the app asks about the pair again, such as with ``refresh(actor:target:)``; a
  /// `LiveSource` of `KithHistory` reports it as it happens, for pairs that were asked about. If a pair was never asked about,
  /// a change of one's own has the source ``RelationshipInfo/Source/change``, and only the actor's edges are known.
  public nonisolated var changes: some AsyncSequence<RelationshipChange, Never> & Sendable {
    broadcaster.subscribe()
  }
}

extension RelationshipFinding {
  /// The relationship, or the error if there is none.
  func info(of target: DID) throws(RelationshipError) -> RelationshipInfo {
    switch self {
    case .known(let info): return info
    case .notFound: throw .actorNotFound(target)
    case .failed(let error): throw error
    }
  }
}
