// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Remembers who is who: handles to DIDs, DIDs to documents.
///
/// Found, absent and failed look-ups are kept for different times; a cancelled one is not kept at all. Equal
/// names asked for at once share one look-up, which ends early only when nobody waits for it any more.
public actor IdentityDirectory {
  private let handles: HandleResolver
  private let documents: DIDResolver
  /// Verifies handles from this machine; nil where an AppView is to be believed.
  let prover: HandleProver?
  /// What earlier processes found; nil where nothing is kept.
  private let store: (any IdentityStore)?
  let configuration: Configuration
  private let time: TimeSource
  private var accountByHandle: ExpiringCache<Handle, Result<ResolvedHandle, IdentityError>>
  private var documentByDID: ExpiringCache<DID, Result<DIDDocument, IdentityError>>
  private var handlesUnderWay = SharedBatches<Handle, Result<ResolvedHandle, IdentityError>>()
  private var documentsUnderWay = SharedBatches<DID, Result<DIDDocument, IdentityError>>()
  /// Whom the store is not asked about any more: what it holds is too old for somebody.
  private var invalidated: Set<ATIdentifier> = []

  private typealias HandleOutcomes = [Handle: Result<ResolvedHandle, IdentityError>]

  /// Makes a directory over the two resolvers.
  ///
  /// - Parameters:
  ///   - prover: verifies the handles of ``identities(of:)`` and of who signs in. Without it an AppView's word is taken for
  ///     the former, and nobody signs in by handle.
  ///   - store: outlives this memory. What it holds is used for as long as what is remembered, and not remembered again.
  public init(
    handles: HandleResolver, documents: DIDResolver, prover: HandleProver? = nil,
    store: (any IdentityStore)? = nil,
    configuration: Configuration = Configuration(), time: TimeSource = .system
  ) {
    self.handles = handles
    self.documents = documents
    self.prover = prover
    self.store = store
    self.configuration = configuration
    self.time = time
    accountByHandle = ExpiringCache(capacity: configuration.capacity, bytes: configuration.bytes) {
      handle, outcome in
      let account = try? outcome.get()
      let found = (account?.did.description.utf8.count ?? 0) + (account?.displayName?.utf8.count ?? 0)
      return handle.description.utf8.count + found + Self.size(ofErrorIn: outcome)
    }
    documentByDID = ExpiringCache(capacity: configuration.capacity, bytes: configuration.bytes) {
      did, outcome in
      did.description.utf8.count + ((try? outcome.get())?.size ?? 0) + Self.size(ofErrorIn: outcome)
    }
  }

  /// How long an ``IdentityDirectory`` remembers what, and how much of it.
  public struct Configuration: Sendable, Hashable {
    /// For what was found: handles and documents change seldom.
    public var found: Duration
    /// For what nobody has: it may be registered any moment.
    public var absent: Duration
    /// For what could not be learned: long enough not to ask a failing server again and again.
    public var failed: Duration
    /// The most handles, and the most documents, kept.
    public var capacity: Int
    /// The most bytes of handles, and of documents: strangers write them.
    public var bytes: Int
    /// The most calls under way at once for one question.
    public var concurrency: Int

    /// An hour, five minutes, ten seconds; 65,536 of each, in 32 MiB each; eight calls at once.
    public init(
      found: Duration = .seconds(3600), absent: Duration = .seconds(300), failed: Duration = .seconds(10),
      capacity: Int = 65_536, bytes: Int = 32 << 20, concurrency: Int = 8
    ) {
      self.found = found
      self.absent = absent
      self.failed = failed
      self.capacity = capacity
      self.bytes = bytes
      self.concurrency = concurrency
    }

    func lifetime<Found>(of outcome: Result<Found, IdentityError>) -> Duration {
      switch outcome {
      case .success: found
      case .failure(let error): error.isConclusive ? absent : failed
      }
    }
  }

  /// About how many bytes an entry takes beside what was found: the links of the cache, or an error.
  private static func size<Found>(ofErrorIn outcome: Result<Found, IdentityError>) -> Int {
    guard case .failure(let error) = outcome else { return 128 }
    // What lies underneath says the same in other words.
    return 512 + 2 * (error.detail.utf8.count + error.subject.utf8.count)
  }

  /// Resolves handles, 25 a call; each has an outcome of its own, and `handle.invalid` belongs to nobody.
  ///
  /// - Throws: `CancellationError` only.
  public func dids(of wanted: [Handle]) async throws -> [Handle: Result<DID, IdentityError>] {
    try await accounts(of: wanted).mapValues { $0.map(\.did) }
  }

  /// As ``dids(of:)``, with what the accounts call themselves, where the answers told.
  ///
  /// - Throws: `CancellationError` only.
  public func accounts(of wanted: [Handle]) async throws -> [Handle: Result<ResolvedHandle, IdentityError>] {
    var outcomes: HandleOutcomes = [:]
    var missing: Set<Handle> = []
    let now = time.now
    for handle in wanted where outcomes[handle] == nil {
      if handle.isInvalid {
        outcomes[handle] = .failure(
          IdentityError(
            .notFound, subject: handle,
            detail: "servers show this for an account whose handle is broken; ask for its DID"))
      } else if let known = accountByHandle.value(for: handle, at: now) {
        outcomes[handle] = known
      } else {
        missing.insert(handle)
      }
    }
    guard !missing.isEmpty else { return outcomes }
    let answers = try await ask(for: missing.sorted { $0.description < $1.description })
    return outcomes.merging(answers) { _, new in new }
  }

  /// The DID of an actor; a DID is its own answer, without a call.
  ///
  /// - Parameter companions: handles that will be asked for next. As many of them as the actor's own call has
  ///   room for are resolved with it, so that two accounts take one call and not two.
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  public func did(of actor: ATIdentifier, with companions: [Handle] = []) async throws -> DID {
    switch actor {
    case .did(let did): return did
    case .handle(let handle):
      guard let outcome = try await dids(of: Self.firstCall(of: handle, with: companions))[handle] else {
        throw Self.noOutcome(handle)
      }
      return try outcome.get()
    }
  }

  /// The handles that are resolved together with that of an actor, its own first, each once: as many as a call
  /// takes.
  package static func firstCall(of handle: Handle, with companions: [Handle]) -> [Handle] {
    var handles = [handle]
    for companion in companions where handles.count < HandleResolver.batchSize {
      if !handles.contains(companion) { handles.append(companion) }
    }
    return handles
  }

  /// The document of a DID.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  public func document(of did: DID) async throws -> DIDDocument {
    if let known = documentByDID.value(for: did, at: time.now) { return try known.get() }
    let works = documentsUnderWay.join([did]) { _, number in
      SharedWork { [did: try await self.look(up: did, as: number)] }
    }
    let outcomes = try await SharedBatches.outcomes(of: works, about: [did])
    guard let outcome = outcomes[did] else { throw Self.noOutcome(did) }
    return try outcome.get()
  }

  /// Forgets what is known of an actor, so that the next question asks anew.
  ///
  /// A look-up under way still answers those who wait for it, and nobody else: it may tell how things were before.
  public func invalidate(_ actor: ATIdentifier) {
    if store != nil { invalidated.insert(actor) }
    switch actor {
    case .did(let did):
      documentByDID.remove(did)
      documentsUnderWay.forget(did)
    case .handle(let handle):
      accountByHandle.remove(handle)
      handlesUnderWay.forget(handle)
    }
  }

  private nonisolated func ask(for wanted: [Handle]) async throws -> HandleOutcomes {
    if wanted.count <= HandleResolver.batchSize { return try await share(wanted) }
    return try await wanted.parts(of: HandleResolver.batchSize)
      .concurrentMap(atMost: configuration.concurrency) { try await self.share($0) }
      .reduce(into: [:]) { $0.merge($1) { _, new in new } }
  }

  /// Waits for those of a batch that are being asked for already, and asks for the rest in one call.
  private func share(_ batch: [Handle]) async throws -> HandleOutcomes {
    let works = handlesUnderWay.join(batch) { rest, number in
      SharedWork { try await self.look(up: rest, as: number) }
    }
    return try await SharedBatches.outcomes(of: works, about: batch)
  }

  private func look(up batch: [Handle], as number: Int) async throws -> HandleOutcomes {
    defer { handlesUnderWay.end(number, of: batch) }
    let kept = await kept(batch)
    let missing = batch.filter { kept[$0] == nil }
    let outcomes = missing.isEmpty ? [:] : try await handles.accounts(of: missing)
    var found: [Handle: ResolvedHandle] = [:]
    for (handle, outcome) in outcomes where handlesUnderWay.isCurrent(number, handle) {
      accountByHandle.insert(outcome, for: handle, until: time.now + configuration.lifetime(of: outcome))
      found[handle] = try? outcome.get()
    }
    if !found.isEmpty { await store?.keep(found, at: time.microsecondsSinceEpoch) }
    return outcomes.merging(kept.mapValues { .success($0) }) { asked, _ in asked }
  }

  private func kept(_ handles: [Handle]) async -> [Handle: ResolvedHandle] {
    let usable = handles.filter { !invalidated.contains(.handle($0)) }
    return usable.isEmpty ? [:] : await store?.accounts(of: usable, askedWithin: lifetime) ?? [:]
  }

  /// When something was asked that may still be used.
  private var lifetime: ClosedRange<Int64> {
    let now = time.microsecondsSinceEpoch
    let found = max(0, min(configuration.found.inMilliseconds, now / 1_000))
    return now - found * 1_000...now
  }

  private func look(up did: DID, as number: Int) async throws -> Result<DIDDocument, IdentityError> {
    defer { documentsUnderWay.end(number, of: [did]) }
    if !invalidated.contains(.did(did)), let kept = await store?.document(of: did, askedWithin: lifetime) {
      return .success(kept)
    }
    let outcome: Result<DIDDocument, IdentityError>
    do {
      outcome = .success(try await documents.document(of: did))
    } catch let error as IdentityError {
      outcome = .failure(error)
    }
    if documentsUnderWay.isCurrent(number, did) {
      documentByDID.insert(outcome, for: did, until: time.now + configuration.lifetime(of: outcome))
      if let found = try? outcome.get() { await store?.keep(found, at: time.microsecondsSinceEpoch) }
    }
    return outcome
  }
}
