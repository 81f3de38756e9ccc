// SPDX-License-Identifier: Apache-2.0

public import KithCore

extension IdentityDirectory {
  /// Returns everything known about an account, with its handle checked in both directions.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  public nonisolated func identity(of actor: ATIdentifier) async throws -> Identity {
    guard let outcome = try await identities(of: [actor]).first else { throw Self.noOutcome(actor) }
    return try outcome.get()
  }

  /// Returns everything known about several accounts, in the order of the actors, each with its own outcome.
  ///
  /// An AppView is asked for 25 handles per call, including those that only need checking. If the directory
  /// verifies handles itself, each is also looked up at its own domain, which takes precedence.
  /// Documents are fetched concurrently.
  /// - Throws: `CancellationError` only.
  public nonisolated func identities(
    of actors: [ATIdentifier]
  ) async throws -> [Result<Identity, IdentityError>] {
    var evidence = try await evidence(about: Set(actors.compactMap(\.handle)))
    let dids = actors.map { actor -> Result<DID, IdentityError> in
      switch actor {
      case .did(let did): .success(did)
      case .handle(let handle): evidence[handle]?.owner ?? .failure(Self.noOutcome(handle))
      }
    }
    let documents = try await documents(of: Set(dids.compactMap { try? $0.get() }))
    let claimed = Set(documents.values.compactMap { try? $0.get().handle }).subtracting(evidence.keys)
    evidence.merge(try await self.evidence(about: claimed)) { _, new in new }
    return dids.map { outcome in
      outcome.flatMap { documents[$0] ?? .failure(Self.noOutcome($0)) }
        .map { Identity($0, $0.handle.flatMap { evidence[$0] }) }
    }
  }

  /// Collects what the AppView and the domains say about handles.
  private nonisolated func evidence(about handles: Set<Handle>) async throws -> [Handle: HandleEvidence] {
    guard !handles.isEmpty else { return [:] }
    async let hints = dids(of: Array(handles))
    let proofs = try await proofs(of: handles)
    return try await hints.reduce(into: [:]) { evidence, hint in
      evidence[hint.key] = HandleEvidence(appview: hint.value, proof: proofs[hint.key])
    }
  }

  private nonisolated func proofs(of handles: Set<Handle>) async throws -> [Handle: HandleVerification] {
    guard let verifier else { return [:] }
    let proofs = try await handles.filter { !$0.isInvalid }
      .concurrentMap(atMost: HandleVerifier.concurrency) {
        ($0, try await verifier.proof(of: $0, asking: .firstAnswer))
      }
    return Dictionary(uniqueKeysWithValues: proofs)
  }

  private nonisolated func documents(
    of wanted: Set<DID>
  ) async throws -> [DID: Result<DIDDocument, IdentityError>] {
    let outcomes = try await wanted.concurrentMap(atMost: configuration.concurrency) {
      did -> (DID, Result<DIDDocument, IdentityError>) in
      do {
        return (did, .success(try await self.document(of: did)))
      } catch let error as IdentityError {
        return (did, .failure(error))
      }
    }
    return Dictionary(uniqueKeysWithValues: outcomes)
  }

  static func noOutcome(_ subject: some CustomStringConvertible) -> IdentityError {
    IdentityError(.unavailable, subject: subject, detail: "the resolver returned no result")
  }
}

/// Everything that was said about one handle.
private struct HandleEvidence: Sendable {
  let appview: Result<DID, IdentityError>
  /// nil if the directory has no ``HandleVerifier``.
  let proof: HandleVerification?

  /// The account to look at: the verified one, or else the one that the AppView names.
  var owner: Result<DID, IdentityError> {
    guard let proof else { return appview }
    switch (proof.owner, appview) {
    case (.success, _): return proof.owner
    case (.failure(let fault), .failure(let error)) where fault.isConclusive && !error.isConclusive:
      return proof.owner
    default: return appview
    }
  }

  /// Whether the handle belongs to an account; nil if that could not be determined.
  func proves(_ did: DID) -> Bool? {
    switch proof?.owner ?? appview {
    case .success(let owner): owner == did
    case .failure(let error): error.isConclusive ? false : nil
    }
  }

  var answers: [(source: HandleSource, answer: Result<DID, IdentityError>)] {
    HandleSource.allCases.compactMap { source in
      (source == .appview ? appview : proof?.answers[source]).map { (source, $0) }
    }
  }
}

extension Identity {
  /// Combines a document with the evidence about the handle it claims.
  fileprivate init(_ document: DIDDocument, _ evidence: HandleEvidence?) {
    var (agreeing, differing): ([HandleSource], [HandleSource]) = ([], [])
    for (source, answer) in evidence?.answers ?? [] {
      switch answer {
      case .success(document.id): agreeing.append(source)
      case .success: differing.append(source)
      case .failure(let error): if error.code == .ambiguous { differing.append(source) }
      }
    }
    self.init(
      did: document.id, handle: document.handle,
      handleIsProven: document.handle == nil ? false : evidence?.proves(document.id), verifiedBy: agreeing,
      contradictedBy: differing, pds: document.pds, signingKey: document.signingKey)
  }
}

extension ATIdentifier {
  fileprivate var handle: Handle? {
    if case .handle(let handle) = self { handle } else { nil }
  }
}
