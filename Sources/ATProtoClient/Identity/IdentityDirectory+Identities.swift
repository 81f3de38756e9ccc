// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

extension IdentityDirectory {
  /// Everything that is known of an account, with its handle checked in both directions.
  ///
  /// - Throws: ``IdentityError``; `CancellationError` when the task is cancelled.
  public nonisolated func identity(of actor: ATIdentifier) async throws -> Identity {
    let document = try await document(of: did(of: actor))
    return Identity(document, owners: try await dids(of: [document.handle].compactMap(\.self)))
  }

  /// Everything that is known of several accounts, in the order of the actors, each with an outcome of its
  /// own. Handles go 25 into a call, those to be checked included, and documents are fetched side by side.
  ///
  /// - Throws: `CancellationError` only.
  public nonisolated func identities(
    of actors: [ATIdentifier]
  ) async throws -> [Result<Identity, IdentityError>] {
    let named = try await dids(of: actors.compactMap(\.handle))
    let dids = actors.map { actor -> Result<DID, IdentityError> in
      switch actor {
      case .did(let did): .success(did)
      case .handle(let handle): named[handle] ?? .failure(Self.noOutcome(handle))
      }
    }
    let documents = try await documents(of: Set(dids.compactMap { try? $0.get() }))
    let owners = try await self.dids(of: documents.values.compactMap { try? $0.get().handle })
    return dids.map { outcome in
      outcome.flatMap { documents[$0] ?? .failure(Self.noOutcome($0)) }
        .map { Identity($0, owners: owners) }
    }
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
    IdentityError(.unavailable, subject: subject, detail: "the resolver gave no outcome")
  }
}

extension Identity {
  /// Takes an account from its document, and whether its handle is proven from what the handle led to.
  fileprivate init(_ document: DIDDocument, owners: [Handle: Result<DID, IdentityError>]) {
    let proven: Bool? =
      switch document.handle.flatMap({ owners[$0] }) {
      case .success(let owner): owner == document.id
      case .failure(let error): error.isConclusive ? false : nil
      case nil: false
      }
    self.init(
      did: document.id, handle: document.handle, handleIsProven: proven, pds: document.pds,
      signingKey: document.signingKey)
  }
}

extension ATIdentifier {
  fileprivate var handle: Handle? {
    if case .handle(let handle) = self { handle } else { nil }
  }
}
