// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Resolves handles to DIDs and DIDs to documents, with a cache.
///
/// Successful, absent and failed lookups are cached for different times; a cancelled one is not cached.
/// Concurrent requests for the same name share one lookup, which is cancelled only when no caller waits for
/// it.
public actor IdentityDirectory {
  private let handles: HandleResolver
  private let documents: DIDResolver
  /// Verifies handles from this machine; nil to trust the AppView.
  let verifier: HandleVerifier?
  /// The directory of `did:plc` documents.
  nonisolated var plc: ServiceURL { documents.plc }
  /// The directory that has the document of a DID; nil if its own host has it.
  nonisolated func directory(of did: DID) -> ServiceURL? { did.method == "plc" ? plc : nil }
  /// What earlier processes found; nil if nothing is stored.
  private let store: (any IdentityStore)?
  let configuration: Configuration
  private let time: TimeSource
  private var accountByHandle: ExpiringCache<Handle, Result<ResolvedHandle, IdentityError>>
  private var documentByDID: ExpiringCache<DID, Result<DIDDocument, IdentityError>>
  private var handlesUnderWay = SharedBatches<Handle, Result<ResolvedHandle, IdentityError>>()
  private var documentsUnderWay = SharedBatches<DID, Result<DIDDocument, IdentityError>>()
  /// Actors whose entries in the store are ignored, because they were invalidated.
  private var invalidated: Set<ATIdentifier> = []

  private typealias HandleOutcomes = [Handle: Result<ResolvedHandle, IdentityError>]

  /// Creates a directory over the two resolvers.
  ///
  /// - Parameters:
  ///   - verifier: Verifies the handles of ``identities(of:)`` and of sign-ins. Without it, an AppView is
  ///     trusted for the former, and sign-in by handle is not possible.
  ///   - store: A persistent cache. Its entries have the same lifetime as those in memory, and are not copied
  ///     to memory.
  package init(
    handles: HandleResolver, documents: DIDResolver, verifier: HandleVerifier? = nil,
    store: (any IdentityStore)? = nil,
    configuration: Configuration = Configuration(), time: TimeSource = .system
  ) {
    self.handles = handles
    self.documents = documents
    self.verifier = verifier
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

  /// How long an ``IdentityDirectory`` caches entries, and how many.
  package struct Configuration: Sendable, Hashable {
    /// For successful lookups: handles and documents rarely change.
    package var found: Duration
    /// For names that do not exist: they may be registered at any time.
    package var absent: Duration
    /// For failed lookups: long enough not to ask a failing server again and again.
    package var failed: Duration
    /// The maximum number of handles, and of documents.
    package var capacity: Int
    /// The maximum number of bytes of handles, and of documents; they are written by strangers.
    package var bytes: Int
    /// The maximum number of concurrent calls for one request.
    package var concurrency: Int

    /// The defaults: one hour, five minutes, ten seconds; 65,536 entries and 32 MiB of each kind; eight calls
    /// at once.
    package init(
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

  /// The approximate size in bytes of an entry without its result: the overhead of the cache, or an error.
  private static func size<Found>(ofErrorIn outcome: Result<Found, IdentityError>) -> Int {
    guard case .failure(let error) = outcome else { return 128 }
    // The underlying error says the same in other words.
    return 512 + 2 * (error.detail.utf8.count + error.subject.utf8.count)
  }

  /// Resolves handles, 25 per call, each with its own outcome. `handle.invalid` is never found.
  ///
  /// - Throws: `CancellationError` only.
  package func dids(of wanted: [Handle]) async throws -> [Handle: Result<DID, IdentityError>] {
    try await accounts(of: wanted).mapValues { $0.map(\.did) }
  }

  /// Resolves handles as ``dids(of:)`` does, with the display names of the accounts if the responses had
  /// them.
  ///
  /// - Throws: `CancellationError` only.
  package func accounts(of wanted: [Handle]) async throws -> [Handle: Result<ResolvedHandle, IdentityError>] {
    var outcomes: HandleOutcomes = [:]
    var missing: Set<Handle> = []
    let now = time.now
    for handle in wanted where outcomes[handle] == nil {
      if handle.isInvalid {
        outcomes[handle] = .failure(
          IdentityError(
            .notFound, subject: handle,
            detail: "servers show this in place of a broken handle; use the account's DID"))
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

  /// Returns the DID of an actor; for a DID, without a call.
  ///
  /// - Parameter companions: Handles that will be resolved next. As many as fit in the actor's own call are
  ///   resolved with it, so two accounts take one call instead of two.
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  package func did(of actor: ATIdentifier, with companions: [Handle] = []) async throws -> DID {
    switch actor {
    case .did(let did): return did
    case .handle(let handle):
      guard let outcome = try await dids(of: Self.firstCall(of: handle, with: companions))[handle] else {
        throw Self.noOutcome(handle)
      }
      return try outcome.get()
    }
  }

  /// Returns the handles to resolve together with that of an actor: its own first, each once, at most as many
  /// as fit in one call.
  package static func firstCall(of handle: Handle, with companions: [Handle]) -> [Handle] {
    var handles = [handle]
    for companion in companions where handles.count < HandleResolver.batchSize {
      if !handles.contains(companion) { handles.append(companion) }
    }
    return handles
  }

  /// Returns the document of a DID.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  package func document(of did: DID) async throws -> DIDDocument {
    if let known = documentByDID.value(for: did, at: time.now) { return try known.get() }
    let works = documentsUnderWay.join([did]) { _, number in
      SharedWork { [did: try await self.look(up: did, as: number)] }
    }
    let outcomes = try await SharedBatches.outcomes(of: works, about: [did])
    guard let outcome = outcomes[did] else { throw Self.noOutcome(did) }
    return try outcome.get()
  }

  /// Returns the document of a DID if it is known, or if one attempt fetches it within some time. A failure is not kept, because
  /// more time may help.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  package func document(of did: DID, within patience: Duration) async throws -> DIDDocument {
    if let known = documentByDID.value(for: did, at: time.now) { return try known.get() }
    if !invalidated.contains(.did(did)), let kept = await store?.document(of: did, askedWithin: lifetime) {
      return kept
    }
    let document = try await documents.trying(once: patience).document(of: did)
    await store?.keep(document, at: time.instant)
    return document
  }

  /// Removes an actor from the cache; the next request resolves it again.
  ///
  /// A lookup in progress still answers its current waiters, but no later ones: its result may be outdated.
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

  /// Waits for those handles of a batch that are being resolved already, and resolves the rest in one call.
  private func share(_ batch: [Handle]) async throws -> HandleOutcomes {
    let works = handlesUnderWay.join(batch) { remaining, number in
      SharedWork { try await self.look(up: remaining, as: number) }
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
    if !found.isEmpty { await store?.keep(found, at: time.instant) }
    return outcomes.merging(kept.mapValues { .success($0) }) { asked, _ in asked }
  }

  private func kept(_ handles: [Handle]) async -> [Handle: ResolvedHandle] {
    let usable = handles.filter { !invalidated.contains(.handle($0)) }
    return usable.isEmpty ? [:] : await store?.accounts(of: usable, askedWithin: lifetime) ?? [:]
  }

  /// The time range of lookups whose results may still be used.
  private var lifetime: ClosedRange<Instant> {
    let now = time.instant
    return now - max(.zero, configuration.found)...now
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
      if let found = try? outcome.get() { await store?.keep(found, at: time.instant) }
    }
    return outcome
  }
}
