// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithHistory

/// A sandbox network where one account is followed live.
final class LiveScene: Sendable {
  let clock = ManualClock()
  let sandbox: SandboxTransport
  let store = InMemoryHistoryStore()
  /// What was reported, in order: such as `followers bob.test lost unfollowed`.
  let told = Watched<[String]>([])
  /// Methods that fail.
  let failing = Watched<Set<String>>([])
  let client: XRPCClient
  let listings: Listings
  private let transport: ScriptedTransport

  /// Unlike alice, it blocks no list.
  var account: SandboxTransport.Account { sandbox.accounts[20] }
  var actor: DID { account.did }
  var followers: HistoryListing { HistoryListing(.followers, of: actor) }

  init(seed: UInt64 = 1) {
    let sandbox = SandboxTransport(accounts: 300, seed: seed, time: clock.timeSource())
    let transport = ScriptedTransport(
      capabilities: sandbox.capabilities,
      webSockets: { try await sandbox.openWebSocket($0, limits: $1) }
    ) { [failing] request in
      let method = RequestQuery(request).method
      guard !failing.withLock({ $0.contains(method) }) else {
        return .xrpcError(400, "InvalidRequest", "not now")
      }
      return try await sandbox.send(request)
    }
    let network = ServiceNetwork.sandbox(at: sandbox.service, transport: transport, time: sandbox.time)
    let client = network.client(of: sandbox.service)
    self.client = client
    listings = Listings(client, identities: network.identities) { _ in client }
    (self.sandbox, self.transport) = (sandbox, transport)
    sandbox.set(isActive: true, account.did)
  }

  var history: LiveHistory { history(in: store) }

  func history(in store: any ObservationStore & StreamStore & CountStore) -> LiveHistory {
    LiveHistory(listings, store: store, host: sandbox.service, transport: transport) { 0.5 }
  }

  /// Keeps a service current; what happens is reported after it.
  func source(
    for service: FollowRelationshipService, _ report: @escaping LiveHistory.Receiver = { _ in }
  ) -> LiveSource {
    LiveSource(history, service: service) { [told, sandbox] event in
      if let text = event.text(in: sandbox) { told.withLock { $0.append(text) } }
      try await report(event)
    }
  }

  /// Follows the account's listings until the task is cancelled.
  func start(
    _ sides: [HistoryListing.Side] = [.followers, .follows], named name: String = ""
  ) -> Task<Void, any Error> {
    let live = history
    return Task { [actor, told, sandbox] in
      try await live.run(sides.map { HistoryListing($0, of: actor) }) { event in
        if let text = event.text(in: sandbox) { told.withLock { $0.append(name + text) } }
      }
    }
  }

  func stop(_ task: Task<Void, any Error>) async {
    task.cancel()
    _ = await task.result
  }

  /// Waits until something was reported.
  func until(_ text: String, times: Int = 1) async {
    await told.until { told in told.count(where: { $0 == text }) >= times }
  }

  /// What was reported of changes.
  var changes: [String] { told.withLock { $0.filter { $0.contains("follow") || $0.contains("block") } } }

  /// Lets a second pass, so that what comes next happens later.
  func later(_ span: Duration = .seconds(1)) { clock.advance(by: span) }

  /// Lets an account do something.
  func act(_ body: (SandboxTransport) -> Void) {
    later()
    body(sandbox)
  }

  /// The accounts on a listing, by the history.
  func listed(_ listing: HistoryListing) async -> Set<DID> {
    let all = await store.intervals(of: listing, after: nil, most: .max)
    return Set(all.filter { $0.lostIn == nil }.map(\.edge.account))
  }

  /// The accounts on a listing, by a snapshot of another history.
  func truth(_ listing: HistoryListing) async throws -> Set<DID> {
    let store = InMemoryHistoryStore()
    try await SnapshotRecorder(listings, store: store)
      .takeSnapshots(of: listing.actor, [listing.side]) { _ in }
    return Set(await store.intervals(of: listing, after: nil, most: .max).map(\.edge.account))
  }

  /// Accounts that follow the actor, and some that have nothing to do with it. No block hides them, such as of a list.
  func people() async throws -> (followers: [SandboxTransport.Account], others: [SandboxTransport.Account]) {
    let all = sandbox.accounts.filter { $0 != account && $0 != sandbox.alice }
    var found: [SandboxTransport.Account] = []
    for some in all.parts(of: 25) where found.count < 12 {
      let infos = try await listings.freshRelationships.known(of: actor, with: some.map(\.did)).found
      let shown = try await AccountViews(client: listings.client).views(of: some.map(\.did))
      found += some.filter { account in
        infos[account.did].map { Evidence($0).findings.count == 1 && shown[account.did] != nil } ?? false
      }
    }
    let (followers, others) = (Array(found.prefix(6)), Array(found.dropFirst(6).prefix(6)))
    for account in followers + others {
      sandbox.unfollow(from: account.did, to: actor)
      sandbox.unfollow(from: actor, to: account.did)
    }
    for account in followers { sandbox.follow(from: account.did, to: actor) }
    try #require(others.count == 6)
    // A stream that continues by time goes back a minute.
    later(.seconds(100))
    return (followers, others)
  }

  /// Waits until all events are observed, and nothing is open.
  func settle(_ number: Int) async throws {
    // The first event may come before the connection to an instance that was built again, and only the next one shows that.
    var number = number
    try await eventually {
      act { $0.rename(actor, to: Accounts.handle(number)) }
      number += 1
      return told.withLock { $0.contains { $0.hasPrefix("\(actor) is") } }
    }
    let all = [HistoryListing.Side.followers, .follows, .blocks].map { HistoryListing($0, of: actor) }
    let end = sandbox.time.instant
    try await eventually {
      self.later()
      for listing in all {
        let read = await self.store.snapshots(of: listing).last { $0.state == .complete }?.startedAt
        let gaps = await self.store.gaps(of: listing)
        guard gaps.allSatisfy({ $0.until <= read ?? .distantPast }) else { return false }
      }
      return await self.store.cursors(of: all).values.allSatisfy { $0.at >= end }
    }
  }
}

extension LiveEvent {
  /// Nil for what tests do not look at.
  fileprivate func text(in sandbox: SandboxTransport) -> String? {
    func name(_ account: DID) -> String {
      sandbox.accounts.first { $0.did == account }?.handle.description ?? account.description
    }
    switch self {
    case .changed(let change):
      let key = change.edge.rkey == nil ? "without key" : nil
      return [
        "\(change.listing.side)", name(change.account), "\(change.kind)", change.loss?.cause.rawValue, key,
      ]
      .compactMap(\.self).joined(separator: " ")
    case .blocked(let actor, let account, _): return "\(name(account)) blocks \(name(actor))"
    case .renamed(let account, let handle, _): return "\(account) is \(handle)"
    case .began, .reading, .observed: return nil
    case .friends(let event): return event.text(name)
    case .connected: return "connected"
    case .disconnected: return "disconnected"
    case .gap(let gap): return "gap \(gap.reason.rawValue)"
    case .read(let outcome):
      return "read \(outcome.snapshot.listing.side) \(outcome.snapshot.state)"
    }
  }
}

extension FriendEvent {
  /// Such as `alice.test requested bob.test friend`.
  func text(_ name: (DID) -> String) -> String {
    switch kind {
    case .requested(let request):
      "\(name(request.requester)) requested \(name(request.subject)) \(request.kind.rawValue)"
    case .withdrawn(let author, let subject): "\(name(author)) withdrew \(name(subject))"
    case .accepted(_, let requester, let author): "\(name(author)) accepted \(name(requester))"
    case .revoked(let requester, let author): "\(name(author)) revoked \(name(requester))"
    case .policy(let policy, let account): "\(name(account)) policy \(policy?.whoMayAsk.word ?? "-")"
    }
  }
}
