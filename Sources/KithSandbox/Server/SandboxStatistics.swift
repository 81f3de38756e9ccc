// SPDX-License-Identifier: Apache-2.0

/// The requests to a ``Sandbox`` since it was started, or since its statistics were reset.
package struct SandboxStatistics: Sendable, Hashable {
  /// Calls of each XRPC method, by NSID, whatever the answer. DID documents count as `/{did}`, handle
  /// look-ups as `/.well-known/atproto-did`, health checks as `_health`, unknown methods and paths as
  /// `other`.
  package internal(set) var calls: [String: Int] = [:]
  /// Answers that failed, by kind of fault, if ``SandboxFaults`` are configured.
  package internal(set) var faults: [SandboxFaults.Kind: Int] = [:]
  /// Requests that the rate limit refused.
  package internal(set) var refused = 0
  /// The highest number of concurrent requests.
  package internal(set) var mostInFlight = 0
  /// Requests in flight now.
  package internal(set) var inFlight = 0

  /// Commits to repositories since the sandbox was created.
  package internal(set) var commits = 0
  /// Reports to moderators since the sandbox was created.
  package internal(set) var reports = 0

  /// The number of all requests.
  package var total: Int { calls.values.reduce(0, +) }

  /// The calls of one method; 0 if it was never called.
  package subscript(method: String) -> Int { calls[method, default: 0] }
}
