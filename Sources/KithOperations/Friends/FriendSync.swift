// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
public import KithRelationships
public import KithWriting

/// Finds what is left to do after others have answered or withdrawn: follows that were allowed, requests that have ended,
/// and acceptances of requests that are gone.
///
/// A follow is written once for each accepted version of a request, and not after the account has unfollowed or blocked
/// the other one since: the journal remembers both, also when it forgets the jobs. The journal of another machine knows
/// nothing of it.
public struct FriendSync: Sendable {
  /// The changes: a follow for each accepted request of the kind follow, the withdrawal of each request that was not
  /// accepted in time, and the removal of each acceptance of a request that is withdrawn.
  public private(set) var requests: [RequestedChange] = []
  /// How many there are of each.
  public private(set) var counts = FriendSyncCounts()
  /// How far the server's clock is ahead of this machine's; negative if it is behind. Nil if they are about the same, or if no
  /// request has ended.
  public private(set) var serverLead: Duration?
  /// The failure of a server that left something unknown; nil if there was none.
  public let fault: RelationshipError?

  /// The accepted requests that allow the follows.
  private var permissions: [DID: RecordVersion] = [:]
  /// The requests that the account has decided otherwise about since.
  private var parted: Set<RecordVersion> = []
  /// The accepted requests of accounts that are followed already, as planning finds them.
  private let met = PosixMutex<Set<RecordVersion>>([])

  /// Reads what became of the requests of an account, and of those that it has accepted.
  ///
  /// - Throws: `RepositoryError` if the own records cannot be read; what the journal throws; `CancellationError`.
  public init(for account: AuthorizedAccount, in workspace: Workspace) async throws {
    let reader = workspace.friendships().reader(of: account.did)
    var sent = try await reader.sent()
    let withdrawn = try await reader.withdrawn()
    sent.fault = await reader.faults.error
    let journal = try workspace.jobStoreToRead()
    var settled = try await journal.settledRequests(of: account.did)
    let parted = try await Self.parted(
      sent.requests.map(\.request).filter { $0.kind == .follow && !settled.contains($0.version) },
      of: account.did, in: journal)
    settled.formUnion(parted)
    let hasEnded = sent.requests.contains { if case .expired = $1.asked { true } else { false } }
    let lead = hasEnded ? try await account.clockDifference() : nil
    self.init(
      of: sent, settled: settled, withdrawn: withdrawn,
      serverTime: workspace.time.instant + min(.zero, lead ?? .zero))
    self.parted = parted
    serverLead = lead
  }

  /// Finds what is left to do about requests.
  ///
  /// - Parameters:
  ///   - settled: the accepted versions about which nothing is left to do.
  ///   - withdrawn: the versions that the account has accepted and that are gone, by the account that asked.
  ///   - serverTime: requests that have not ended by then stay.
  package init(
    of sent: SentRequests, settled: Set<RecordVersion> = [], withdrawn: [DID: Set<RecordVersion>] = [:],
    serverTime: Instant = .distantFuture
  ) {
    fault = sent.fault
    for (request, friendship) in sent.requests {
      let name = request.subject.description
      switch friendship.asked {
      case .accepted(let request, _) where request.kind == .follow && settled.contains(request.version):
        counts.settled += 1
      case .accepted(let request, _) where request.kind == .follow && friendship.isBlocked == false:
        counts.allowed += 1
        permissions[request.subject] = request.version
        requests.append(RequestedChange(name, .success(.follow(request.subject))))
      case .expired(let request) where request.isOpen(at: serverTime): counts.early += 1
      case .expired:
        counts.ended += 1
        requests.append(RequestedChange(name, .success(.friends(.cancel(request.subject)))))
      case .open: counts.open += 1
      case .unknown: counts.unknown += 1
      case .none, .accepted: break
      }
    }
    for (requester, versions) in withdrawn.sorted(by: { "\($0.key)" < "\($1.key)" }) {
      counts.withdrawn += versions.count
      requests.append(
        RequestedChange(requester.description, .success(.friends(.takeBack(requester, versions)))))
    }
  }

  /// Those of some requests after which the account has unfollowed or blocked the account that it asked. If the journal
  /// does not have the request, its date decides.
  private static func parted(
    _ requests: [FriendRequest], of account: DID, in journal: any JobStore
  ) async throws -> Set<RecordVersion> {
    let history = try await journal.history(of: requests.map { .account($0.subject) }, by: account)
    var parted: Set<RecordVersion> = []
    for request in requests {
      let entries = history[.account(request.subject)] ?? []
      let asked = entries.lastIndex { $0.asks(request) }
      guard let last = entries.dropFirst(asked.map { $0 + 1 } ?? 0).last(where: \.parts) else { continue }
      if asked == nil {
        let moment = try await journal.job(last.job).createdAt
        if moment.instant < request.createdAt.instant { continue }
      }
      parted.insert(request.version)
    }
    return parted
  }

  /// A planned change, which says that the follow is that of an accepted request.
  public func checked(_ planned: PlannedChange) -> PlannedChange {
    guard let other = planned.change.followed, let request = permissions[other] else { return planned }
    if planned.holds { met.withLock { _ = $0.insert(request) } }
    return planned.settling(request)
  }

  /// Remembers the requests about which nothing was left to do; what is written is remembered by itself.
  ///
  /// - Throws: what the journal throws.
  public func settle(for account: AuthorizedAccount, in workspace: Workspace) async throws {
    let requests = met.withLock(\.self).union(parted)
    if requests.isEmpty { return }
    try await workspace.jobStoreForChange().settle(requests, of: account.did)
  }
}
