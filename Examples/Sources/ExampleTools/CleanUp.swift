// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// Blocks the followers that match a predicate, in one job that can be undone.
public struct CleanUp: Sendable {
  private let account: DID
  private let time: TimeSource
  private let engine: ChangeEngine
  private let listings: Listings

  /// - Parameter pds: a client that is signed in as the account.
  public init(_ account: DID, pds: XRPCClient, network: ServiceNetwork, journal: Journal) {
    self.account = account
    time = network.time
    engine = ChangeEngine(account: account, pds: pds, journal: journal)
    listings = Listings(network.appview)
  }

  /// What blocking the followers that match would do; changes nothing.
  ///
  /// - Parameter predicate: such as `posts = 0 and followers < 10`. A mistake in it throws a `PredicateError` that says where.
  public func plan(_ predicate: String) async throws -> [ChangePlan.Request] {
    var matches = listings.accounts(
      .followers(of: .did(account)),
      where: try AccountPredicate(parsing: predicate, now: Datetime(at: time.instant))
    ).makeAsyncIterator()
    var requests: [ChangePlan.Request] = []
    while let match = try await matches.next() {
      requests.append(ChangePlan.Request("\(match.account)", .block(match.account), isResolved: true))
    }
    return requests
  }

  /// Blocks the accounts once `confirm` has seen the plan.
  ///
  /// - Parameter confirm: throws to decline.
  /// - Returns: the job, for ``undo(_:)``; nil if there was nothing to do.
  public func run(
    _ requests: [ChangePlan.Request], confirm: @escaping @Sendable (ChangePlan) async throws -> Void
  ) async throws -> JobID? {
    let submission = try await engine.submit(
      requests, as: "block", confirmation: .init(isNeeded: { _ in true }, ask: confirm))
    guard let job = submission.job else { return nil }
    try await engine.run(job.id, plannedBy: submission.facts)
    return job.id
  }

  /// Takes back what a job did, and nothing else.
  public func undo(_ job: JobID) async throws { try await engine.run(try await engine.undo(job).job.id) }
}
