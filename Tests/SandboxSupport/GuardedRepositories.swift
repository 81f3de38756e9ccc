// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
package import KithClient
package import KithCore
import TestSupport

/// A server that shows the records of some repositories only to those who sign in.
package final class GuardedRepositories: HTTPTransport {
  package let capabilities: TransportCapabilities
  private let base: FaultyNetwork
  private let guarded: Set<DID>
  private let signed = PosixMutex<Set<String>>([])

  package init(_ base: FaultyNetwork, guarding guarded: Set<DID>) {
    (self.base, capabilities, self.guarded) = (base, base.capabilities, guarded)
  }

  /// The repositories that were read with a session.
  package var readWithSession: Set<String> { signed.withLock(\.self) }

  package func send(_ request: TransportRequest) async throws -> TransportResponse {
    let query = RequestQuery(request)
    let method = query.method.split(separator: ".").last ?? ""
    guard ["getRecord", "listRecords", "describeRepo"].contains(method), let repository = query["repo"].first
    else {
      return try await base.send(request)
    }
    if request.head.headerFields[.authorization] != nil {
      signed.withLock { _ = $0.insert(repository) }
    } else if guarded.contains(where: { $0.description == repository }) {
      return .xrpcError(401, "AuthenticationRequired", "authentication required")
    }
    return try await base.send(request)
  }
}
