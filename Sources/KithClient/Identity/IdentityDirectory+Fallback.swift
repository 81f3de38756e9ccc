// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension IdentityDirectory {
  /// Resolves handles as ``dids(of:)`` does. If the AppView cannot be asked, falls back to another server,
  /// and then to the handles' own domains.
  ///
  /// - Parameter server: Usually the account's own PDS; it is trusted.
  /// - Throws: `CancellationError` only.
  package nonisolated func dids(
    of wanted: [Handle], orBy server: XRPCClient
  ) async throws -> [Handle: Result<DID, IdentityError>] {
    let outcomes = try await dids(of: wanted)
    let open = outcomes.filter {
      if case .failure(let error) = $0.value { !error.isConclusive } else { false }
    }
    guard !open.isEmpty else { return outcomes }
    let others = try await open.concurrentMap(atMost: configuration.concurrency) { handle, outcome in
      (handle, try await self.did(of: handle, by: server) ?? outcome)
    }
    return outcomes.merging(others) { _, new in new }
  }

  /// - Returns: nil if nothing was found out.
  private nonisolated func did(
    of handle: Handle, by server: XRPCClient
  ) async throws -> Result<DID, IdentityError>? {
    let answer = try await HandleResolver(client: server).lookUp(handle)
    if case .success = answer { return answer }
    guard let verifier else { return answer }
    let proof = try await verifier.proof(of: handle, asking: .firstAnswer).owner
    // A server that does not know a handle may only know its own accounts.
    let all = [proof, answer]
    return all.first { if case .success = $0 { true } else { false } }
      ?? all.first { if case .failure(let error) = $0 { error.isConclusive } else { false } }
  }
}
