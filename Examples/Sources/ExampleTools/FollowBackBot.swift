// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting

/// Follows back who follows an account. It may be killed at any time: a round goes on where the last one stopped, and no
/// follow is made twice.
public struct FollowBackBot: Sendable {
  private static let missing = "not following and not blocking and not blocked-by"

  private let account: DID
  private let time: TimeSource
  private let engine: ChangeEngine
  private let jobs: JobManager
  private let listings: Listings
  /// At most this many follows a day, however many the server would allow.
  private let limit: WriteLimit

  /// - Parameters:
  ///   - pds: a client that is signed in as the account.
  ///   - journal: on disk, so that it survives the process.
  public init(
    _ account: DID, pds: XRPCClient, network: ServiceNetwork, journal: Journal, followsPerDay: Int = 50
  ) {
    self.account = account
    time = network.time
    let service = FollowRelationshipService(client: network.appview)
    // What the bot itself did counts at once, although the AppView does not show it yet.
    engine = ChangeEngine(
      account: account, pds: pds, journal: journal,
      observers: ChangeObservers(account: account, relationships: service, profiles: nil))
    jobs = JobManager(journal: journal)
    listings = Listings(network.appview, relationships: service)
    limit = WriteLimit(changesPerDay: followsPerDay)
  }

  /// Finishes what is unfinished, then follows back who is new.
  ///
  /// - Returns: how each job ended; none if there was nothing to do.
  public func round() async throws -> [JobEnd] {
    var ends: [JobEnd] = []
    for summary in try await jobs.summaries(of: account) where summary.job.state.isRunnable {
      ends.append(try await engine.run(summary.job.id))
    }
    var requests: [ChangePlan.Request] = []
    var followers = listings.accounts(
      .followers(of: .did(account)),
      where: try AccountPredicate(parsing: Self.missing, now: Datetime(at: time.instant))
    ).makeAsyncIterator()
    while let follower = try await followers.next() {
      requests.append(ChangePlan.Request("\(follower.account)", .follow(follower.account), isResolved: true))
    }
    let submission = try await engine.submit(requests, as: "follow back", limit: limit)
    if let job = submission.job { ends.append(try await engine.run(job.id, plannedBy: submission.facts)) }
    return ends
  }
}
