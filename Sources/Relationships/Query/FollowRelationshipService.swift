// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore

/// Answers who follows, blocks or befriends whom, for two accounts or for a hundred thousand.
///
/// ```swift
/// let service = FollowRelationshipService(client: XRPCClient(service: appview, transport: transport))
/// if try await service.isFollowing(actor: alice, target: bob) { … }
/// for try await answer in service.relationships(of: alice, with: everybody) { … }
/// ```
///
/// Equal targets are asked about once, 30 go into a call, and what was learned is remembered for a time.
/// What was not learned is never given as "no": it is an error, or absent.
public actor FollowRelationshipService {
  /// How a ``FollowRelationshipService`` asks.
  public struct Configuration: Sendable, Hashable {
    /// Calls of the service under way at once, of single questions and sequences together. Handles and existence are
    /// asked for by up to as many calls of each sequence.
    public var concurrency: Int
    /// Which accounts are verified to exist.
    public var verification: Verification
    /// How long targets that do not fill a call wait for a stream that has no more of them yet, so that a slow one
    /// is answered as it comes. Zero waits for its end.
    public var linger: Duration
    /// How long a question about a single pair waits for others, to share a call with them. Zero asks at once.
    public var gatherWindow: Duration

    /// Eight calls at once; existence is not verified; a second; two milliseconds.
    public init(
      concurrency: Int = 8, verification: Verification = .nobody, linger: Duration = .seconds(1),
      gatherWindow: Duration = .milliseconds(2)
    ) {
      self.concurrency = concurrency
      self.verification = verification
      self.linger = linger
      self.gatherWindow = gatherWindow
    }
  }

  /// Which accounts that the network does not know are told from those without any relationship.
  ///
  /// The AppView answers both alike (Q2); finding out costs one call more for every 25 accounts, and one for each
  /// that is missing there.
  public enum Verification: Sendable, Hashable {
    /// None: every DID is taken for an account.
    case nobody
    /// These, be they actor or target, unless an edge from them shows that they exist.
    case only(Set<DID>)
    /// The actor and all targets.
    case everybody

    /// Whether an account is verified.
    func includes(_ account: DID) -> Bool {
      switch self {
      case .nobody: false
      // Mostly one or two, which are compared more quickly than they are hashed.
      case .only(let accounts):
        accounts.count <= 4 ? accounts.contains { $0 == account } : accounts.contains(account)
      case .everybody: true
      }
    }
  }

  private let identities: IdentityDirectory
  private let configuration: Configuration
  private let sizes: AnswerWindow.Sizes
  private let time: TimeSource
  private let loader: RelationshipLoader
  private let broadcaster = ChangeBroadcaster()
  private let cachePolicy: RelationshipCache.Policy
  private let lastKnown: (store: any LastKnownRelationships, writer: LastKnownWriter)?
  /// What accounts have just done, which the source may not show yet.
  package nonisolated let overlay: OptimisticOverlay

  /// Asks the client's service, an AppView, and remembers answers for so long by the client's clock.
  public init(client: XRPCClient, cacheTTL: Duration = .seconds(300)) {
    self.init(
      source: AppViewRelationshipSource(client: client),
      identities: IdentityDirectory(client: client),
      cachePolicy: RelationshipCache.Policy(lifetime: cacheTTL), time: client.time)
  }

  /// Asks any source.
  ///
  /// - Parameters:
  ///   - identities: resolves handles among the targets.
  ///   - lastKnown: keeps what is learned, for ``restoreLastKnown()`` of a later process; nil for nothing.
  ///   - time: the clock of the cache's lifetimes.
  public init(
    source: any RelationshipSource, identities: IdentityDirectory,
    cachePolicy: RelationshipCache.Policy = RelationshipCache.Policy(),
    lastKnown: (any LastKnownRelationships)? = nil,
    configuration: Configuration = Configuration(), time: TimeSource = .system
  ) {
    self.cachePolicy = cachePolicy
    self.lastKnown = lastKnown.map { ($0, LastKnownWriter($0)) }
    overlay = OptimisticOverlay(time: time)
    self.identities = identities
    self.configuration = configuration
    self.time = time
    sizes = AnswerWindow.Sizes(
      resolve: HandleResolver.batchSize, verify: source.existenceBatchSize,
      window: Self.windowSize(concurrency: configuration.concurrency, batch: max(1, source.batchSize)))
    loader = RelationshipLoader(
      source: source, cachePolicy: cachePolicy, overlay: overlay, changes: broadcaster,
      lastKnown: self.lastKnown?.writer, concurrency: configuration.concurrency,
      gatherWindow: configuration.gatherWindow, time: time)
  }

  // MARK: Questions

  /// Whether the actor follows the target.
  ///
  /// - Throws: ``RelationshipError``, `actorNotFound` when either account is not found; `CancellationError`.
  public nonisolated func isFollowing(actor: DID, target: DID) async throws -> Bool {
    if !verifies(actor, target), let follows = loader.rememberedFollow(of: actor, target) {
      return follows
    }
    return try await getRelationship(actor: actor, target: target).isFollowing
  }

  /// The relationship of two accounts; one that an account has with itself has no edges (Q4).
  ///
  /// Questions that come together, from any number of tasks, share calls; equal ones share one.
  /// - Throws: ``RelationshipError``, `actorNotFound` when either account is not found; `CancellationError`.
  public nonisolated func getRelationship(actor: DID, target: DID) async throws -> RelationshipInfo {
    if verifies(actor, target) { return try await verifiedRelationship(actor, target) }
    if actor == target { return ownRelationship(of: actor) }
    return try await loader.finding(of: actor, with: target).info(of: target)
  }

  private nonisolated func verifies(_ accounts: DID...) -> Bool {
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

  private nonisolated func ownRelationship(of actor: DID) -> RelationshipInfo {
    .withItself(actor, at: Datetime(microsecondsSinceEpoch: time.microsecondsSinceEpoch))
  }

  /// Whether the actor follows each of the targets; what could not be learned is absent, never false.
  ///
  /// - Throws: ``RelationshipError`` when the actor does not exist or nothing at all was learned;
  ///   `CancellationError`.
  public nonisolated func batchCheckFollows(actor: DID, targets: [DID]) async throws -> [DID: Bool] {
    if configuration.verification != .nobody {
      return try await follows(of: actor, asking: targets, knowing: [:])
    }
    let remembered = loader.rememberedFollows(of: actor, among: targets)
    if remembered.missing.isEmpty { return remembered.known }
    return try await follows(of: actor, asking: remembered.missing, knowing: remembered.known)
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

  /// The relationships of the actor with each of the targets, in their order.
  public nonisolated func relationships(
    of actor: DID, with targets: some Sequence<DID> & Sendable
  ) -> RelationshipAnswers {
    answers(of: actor, to: QuestionSequence(targets) { RelationshipQuestion($0) })
  }

  /// The relationships of the actor with each target of a stream, in its order.
  public nonisolated func relationships(
    of actor: DID, with targets: some AsyncSequence<DID, any Error> & Sendable
  ) -> RelationshipAnswers {
    answers(of: actor, to: targets.map { [RelationshipQuestion($0)] })
  }

  /// Answers questions that name their targets in whatever way; handles are resolved, 25 a call.
  public nonisolated func answers(
    of actor: DID, to questions: some AsyncSequence<RelationshipQuestion, any Error> & Sendable
  ) -> RelationshipAnswers {
    answers(of: actor, to: questions.map { [$0] })
  }

  /// Answers questions that come several at a time, as a reader of files has them: handing them over one by one
  /// would cost more than all else about them.
  public nonisolated func answers(
    of actor: DID, to questions: some AsyncSequence<[RelationshipQuestion], any Error> & Sendable
  ) -> RelationshipAnswers {
    let parts = AnswerPipeline.Parts(
      actor: actor, loader: loader, identities: identities, verification: configuration.verification,
      concurrency: max(1, configuration.concurrency), linger: configuration.linger, time: time)
    return RelationshipAnswers(questions) { [sizes] in AnswerPipeline(parts, sizes: sizes) }
  }

  /// Questions that are open at once: two rounds of full batches, so that one slow batch does not idle the others.
  static func windowSize(concurrency: Int, batch: Int) -> Int { 2 * max(1, concurrency) * batch }

  // MARK: Memory

  /// Forgets what is known of a pair, or about to be, so that the next question asks anew.
  public func invalidate(actor: DID, target: DID) { loader.invalidate(actor, target) }

  /// Remembers what was last known before this process began, of pairs of which nothing is remembered yet.
  ///
  /// It is told as stale: shown at once, and asked for anew at the first question about it. So it takes a
  /// ``RelationshipCache/Policy/staleLifetime``; what is older than that and the lifetime together is not told any more.
  /// - Returns: how many relationships that are.
  @discardableResult
  public func restoreLastKnown() async -> Int {
    guard let lastKnown, cachePolicy.staleLifetime > .zero else { return 0 }
    let age = (cachePolicy.lifetime + cachePolicy.staleLifetime).inMilliseconds
    let now = time.microsecondsSinceEpoch
    let oldest = Datetime(microsecondsSinceEpoch: now - min(age, now / 1_000) * 1_000)
    return loader.restore(
      await lastKnown.store.relationships(checkedSince: oldest, atMost: cachePolicy.capacity))
  }

  /// Waits until all that was learned so far is kept: for an app that is about to end.
  public func keepLastKnown() async { await lastKnown?.writer.finish() }

  /// Forgets every answer, those under way and those that were last known included: the next questions ask anew.
  ///
  /// After ``keepLastKnown()`` nothing of them is on the disk any more.
  public func clearCache() { loader.invalidateAll() }

  /// Forgets the answers whose time is over.
  public func pruneCache() { loader.prune() }

  /// What the cache has done so far.
  public var cacheStatistics: RelationshipCache.Statistics { loader.statistics }

  /// Relationships that turn out to differ from what was known. Each access subscribes anew.
  public nonisolated var changes: some AsyncSequence<RelationshipChange, Never> & Sendable {
    broadcaster.subscribe()
  }
}

extension RelationshipFinding {
  /// The relationship, or the error that stands for there being none.
  fileprivate func info(of target: DID) throws(RelationshipError) -> RelationshipInfo {
    switch self {
    case .known(let info): return info
    case .notFound: throw .actorNotFound(target)
    case .failed(let error): throw error
    }
  }
}

extension FollowRelationshipService {
  /// Shows in cache and changes what is expected of a pair by now.
  ///
  /// - Parameters:
  ///   - wish: what is not wished any more, to be taken back where nothing else was learned meanwhile.
  ///   - failure: why it is taken back; nil where it is not, or where it held already.
  package nonisolated func move(
    _ actor: DID, _ target: DID, takingBack wish: OptimisticOverlay.TakenBack?,
    because failure: ChangeFailure?
  ) {
    loader.move(actor, target) { [overlay] info in
      overlay.shown(wish.map { info.showing($0.restoring(OptimisticOverlay.Shown(info))) } ?? info)
    } tell: { former, now in
      failure.map { .rolledBack(from: former, to: now, because: $0) } ?? .changed(from: former, to: now)
    }
    // Nobody knows how it stands: the next question asks anew.
    if failure?.isInDoubt == true { loader.invalidate(actor, target) }
  }
}
