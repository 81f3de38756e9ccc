// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Remembers who is who: handles to DIDs, DIDs to documents.
///
/// Found, absent and failed look-ups are kept for different times; a cancelled one is not kept at all.
public actor IdentityDirectory {
  private let handles: HandleResolver
  private let documents: DIDResolver
  let configuration: Configuration
  private let time: TimeSource
  private var didByHandle: ExpiringCache<Handle, Result<DID, IdentityError>>
  private var documentByDID: ExpiringCache<DID, Result<DIDDocument, IdentityError>>

  /// Makes a directory over the two resolvers.
  public init(
    handles: HandleResolver, documents: DIDResolver, configuration: Configuration = Configuration(),
    time: TimeSource = .system
  ) {
    self.handles = handles
    self.documents = documents
    self.configuration = configuration
    self.time = time
    didByHandle = ExpiringCache(capacity: configuration.capacity)
    documentByDID = ExpiringCache(capacity: configuration.capacity)
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
    /// The most calls under way at once for one question.
    public var concurrency: Int

    /// An hour, five minutes, ten seconds; 65,536 of each; eight calls at once.
    public init(
      found: Duration = .seconds(3600), absent: Duration = .seconds(300), failed: Duration = .seconds(10),
      capacity: Int = 65_536, concurrency: Int = 8
    ) {
      self.found = found
      self.absent = absent
      self.failed = failed
      self.capacity = capacity
      self.concurrency = concurrency
    }

    func lifetime<Found>(of outcome: Result<Found, IdentityError>) -> Duration {
      switch outcome {
      case .success: found
      case .failure(let error): error.isConclusive ? absent : failed
      }
    }
  }

  /// Resolves handles, 25 a call; each has an outcome of its own, and `handle.invalid` belongs to nobody.
  ///
  /// - Throws: `CancellationError` only.
  public func dids(of wanted: [Handle]) async throws -> [Handle: Result<DID, IdentityError>] {
    var outcomes: [Handle: Result<DID, IdentityError>] = [:]
    var missing: Set<Handle> = []
    let now = time.now
    for handle in wanted where outcomes[handle] == nil {
      if handle.isInvalid {
        outcomes[handle] = .failure(
          IdentityError(
            .notFound, subject: handle,
            detail: "servers show this for an account whose handle is broken; ask for its DID"))
      } else if let known = didByHandle.value(for: handle, at: now) {
        outcomes[handle] = known
      } else {
        missing.insert(handle)
      }
    }
    guard !missing.isEmpty else { return outcomes }
    for (handle, outcome) in try await ask(for: missing.sorted { $0.description < $1.description }) {
      outcomes[handle] = outcome
      didByHandle.insert(outcome, for: handle, until: time.now + configuration.lifetime(of: outcome))
    }
    return outcomes
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
      let wanted = [handle] + companions.prefix(HandleResolver.batchSize - 1)
      guard let outcome = try await dids(of: wanted)[handle] else {
        throw IdentityError(.unavailable, subject: handle, detail: "the resolver gave no outcome")
      }
      return try outcome.get()
    }
  }

  /// The document of a DID.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  public func document(of did: DID) async throws -> DIDDocument {
    if let known = documentByDID.value(for: did, at: time.now) { return try known.get() }
    let outcome: Result<DIDDocument, IdentityError>
    do {
      outcome = .success(try await documents.document(of: did))
    } catch let error as IdentityError {
      outcome = .failure(error)
    }
    documentByDID.insert(outcome, for: did, until: time.now + configuration.lifetime(of: outcome))
    return try outcome.get()
  }

  /// Forgets what is known of an actor, so that the next question asks anew.
  public func invalidate(_ actor: ATIdentifier) {
    switch actor {
    case .did(let did): documentByDID.remove(did)
    case .handle(let handle): didByHandle.remove(handle)
    }
  }

  private nonisolated func ask(for wanted: [Handle]) async throws -> [Handle: Result<DID, IdentityError>] {
    try await withThrowingTaskGroup(of: [Handle: Result<DID, IdentityError>].self) { group in
      var starts = stride(from: 0, to: wanted.count, by: HandleResolver.batchSize).makeIterator()
      func nextBatch() -> [Handle]? {
        starts.next().map { Array(wanted[$0..<min($0 + HandleResolver.batchSize, wanted.count)]) }
      }
      var outcomes: [Handle: Result<DID, IdentityError>] = [:]
      for _ in 0..<max(1, configuration.concurrency) {
        guard let batch = nextBatch() else { break }
        group.addTask { try await self.handles.dids(of: batch) }
      }
      while let answered = try await group.next() {
        outcomes.merge(answered) { _, new in new }
        if let batch = nextBatch() { group.addTask { try await self.handles.dids(of: batch) } }
      }
      return outcomes
    }
  }
}
