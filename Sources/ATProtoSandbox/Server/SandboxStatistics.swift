// SPDX-License-Identifier: Apache-2.0

/// What a ``Sandbox`` was asked since it started, or since its statistics were reset.
public struct SandboxStatistics: Sendable, Hashable {
  /// How often each XRPC method was called, by NSID, whatever the answer was. DID documents count as
  /// `/{did}`, handles' as `/.well-known/atproto-did`, health checks as `_health`; methods and paths that
  /// the sandbox does not know as `other`.
  public internal(set) var calls: [String: Int] = [:]
  /// How many answers went wrong in each way, where a ``Sandbox/Faults`` says that some do.
  public internal(set) var faults: [Sandbox.Faults.Kind: Int] = [:]
  /// Requests that the rate limit refused.
  public internal(set) var refused = 0
  /// The largest number of requests that were being answered at the same time.
  public internal(set) var mostInFlight = 0
  /// Requests that are being answered now.
  public internal(set) var inFlight = 0

  /// Commits to repositories since the sandbox was made.
  public internal(set) var commits = 0
  /// Reports to moderators since the sandbox was made.
  public internal(set) var reports = 0

  /// All requests together.
  public var total: Int { calls.values.reduce(0, +) }

  /// The calls of one method; 0 for one that was never called.
  public subscript(method: String) -> Int { calls[method, default: 0] }
}
