// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithLexicons
import KithLocalMessages
import KithRelationships

/// Follows watched accounts by the stream, and answers questions about them; see ``DaemonInterface``.
///
/// It asks the AppView what it does not know yet, and keeps it: the stream tells what changes. Only blocks by lists no stream tells,
/// so answers are asked for again after five minutes, as elsewhere.
final class DaemonService: Sendable {
  /// What a profile said when it was read.
  private struct Base {
    let followers: Int?
    let follows: Int?
    let readAt: Instant

    func counts(now profile: ProfileService.Profile?) -> DaemonCounts {
      func since(_ now: Int?, _ then: Int?) -> Int { if let now, let then { now - then } else { 0 } }
      return DaemonCounts(
        followers: followers, follows: follows,
        followersSince: since(profile?.followersCount.map { Int($0) }, followers),
        followsSince: since(profile?.followsCount.map { Int($0) }, follows), readAt: Datetime(at: readAt))
    }
  }

  private struct Facts {
    var watched: Set<DID> = []
    /// What follows them in the history; another process may take some of them over.
    var reader: StreamReaderID?
    /// The last event that was read, and when, by the clock that only goes forward.
    var place: Instant?
    var readAt = Duration.zero
    /// When the stream last connected. It replays older events until one is that recent, or none arrive.
    var connectedAt: Instant?
    /// Since when listings are read as a whole, so that events wait; nil if they are not.
    var readsSince: Instant?
    /// When the accounts were looked at last; it is long ago if the machine slept.
    var lookedAt: Instant?
    var bases: [DID: Base] = [:]
    var profiles: ProfileService?
  }

  /// After this long without an event, the replay is over.
  private static let quiet = Duration.seconds(3)
  /// How far the clock of the stream's host may be behind.
  private static let clockDifference = Duration.seconds(5)

  /// Follows the accounts.
  let source: LiveSource
  private let workspace: Workspace
  private let store: any HistoryStore
  private let version: String
  private let startedAt: Instant
  private let facts: PosixMutex<Facts>
  private let turns = Turns()

  /// - Parameters:
  ///   - version: that of the program.
  ///   - tell: is told what happens.
  init(
    _ workspace: Workspace, _ store: any HistoryStore, version: String,
    telling tell: @escaping @Sendable (LiveEvent) -> Void
  ) {
    (self.workspace, self.store, self.version) = (workspace, store, version)
    startedAt = workspace.time.instant
    let facts = PosixMutex(Facts())
    self.facts = facts
    source = LiveSource(workspace.live(in: store), service: workspace.relationships()) {
      [time = workspace.time] event in
      switch event {
      case .began(let reader): facts.withLock { ($0.reader, $0.readsSince) = (reader, nil) }
      case .connected: facts.withLock { ($0.connectedAt, $0.readAt) = (time.instant, time.now) }
      case .observed(let cursor, _): facts.withLock { ($0.place, $0.readAt) = (cursor.at, time.now) }
      case .reading(let listings):
        facts.withLock { $0.readsSince = listings.isEmpty ? nil : time.instant }
      case .renamed(let account, let handle, _):
        // Listings show the names that this machine has seen.
        await workspace.names().remember([AccountView(account, handle: handle)])
      default: break
      }
      tell(event)
    }
  }

  /// Watches these accounts from now on.
  ///
  /// - Parameter again: whether to connect again, although they have not changed, because events may have been missed.
  func watch(_ actors: [DID], again: Bool) async {
    let (profiles, former) = facts.withLock { facts in
      let former = facts.watched
      (facts.watched, facts.lookedAt) = (Set(actors), workspace.time.instant)
      return (facts.profiles, former)
    }
    let hasChanged = former != Set(actors)
    if again || hasChanged {
      // Another run begins, and what came since the last one was not told here.
      facts.withLock { $0.bases = [:] }
      profiles?.clearCache()
      workspace.relationships().markStale()
    }
    if actors.isEmpty { return await source.stop() }
    if again, !hasChanged { source.refresh() }
    source.start([HistoryListing](followsOf: actors))
  }

  /// What follows the accounts; nil if nothing did yet.
  var reader: StreamReaderID? { facts.withLock(\.reader) }

  /// Up to when the stream was read; nil if nothing was read yet.
  var place: Instant? { facts.withLock(\.place) }

  /// Since when it is not up to date; nil if it is.
  var behindSince: Instant? {
    let (facts, now) = (facts.withLock(\.self), workspace.time.instant)
    switch source.state {
    case .disconnected(let since, _), .unknown(let since): return since
    case .stopped, .starting, .failed: return facts.place ?? startedAt
    case .connected: break
    }
    if let since = facts.readsSince { return since }
    if let lookedAt = facts.lookedAt, now - lookedAt > RunDaemon.interval * 2 { return lookedAt }
    guard let connectedAt = facts.connectedAt else { return startedAt }
    let isReplaying = workspace.time.now - facts.readAt < Self.quiet
    if isReplaying, (facts.place ?? .epoch) < connectedAt - Self.clockDifference {
      return facts.place ?? connectedAt
    }
    return nil
  }

  // MARK: Answers

  /// The answer to a request.
  func answer(_ request: LocalRequest) async -> LocalResponse {
    do {
      switch (request.method, request.path) {
      case ("GET", "/kith"): return try json(await status(about: request.actor))
      case ("POST", "/1/relationships"):
        let question = try JSONCoding.decode(DaemonQuestion.self, from: request.body)
        return try json(DaemonAnswers(relationships: try await relationships(question)))
      case ("GET", "/1/counts"): return try json(await counts(of: watched(request.actor)))
      case ("GET", "/1/accounts"):
        guard let side = request.parameter("side").flatMap(HistoryListing.Side.init),
          side == .followers || side == .follows
        else { throw Refusal.badRequest }
        return try await accounts(on: HistoryListing(side, of: watched(request.actor)))
      default: throw Refusal.noSuchPath
      }
    } catch let refusal as Refusal {
      return LocalResponse(status: refusal.rawValue, contentType: nil, body: [])
    } catch is DecodingError {
      return LocalResponse(status: Refusal.badRequest.rawValue, contentType: nil, body: [])
    } catch {
      // The network is asked instead, and says what is wrong.
      return LocalResponse(status: Refusal.failed.rawValue, contentType: nil, body: [])
    }
  }

  /// Why a request has no answer: the status of the response.
  private enum Refusal: Int, Error {
    case badRequest = 400
    case noSuchPath = 404
    case notWatched = 410
    case failed = 502
    case behind = 503
  }

  private func json(_ value: some Encodable) throws -> LocalResponse {
    LocalResponse(body: try JSONCoding.encode(value))
  }

  private func status(about actor: DID?) async throws -> DaemonStatus {
    var isWatched = false
    if let actor { isWatched = try await watches(actor) }
    return DaemonStatus(
      interface: DaemonInterface.version, version: version,
      appview: workspace.services.appview.description, watched: facts.withLock(\.watched.count),
      behindSince: behindSince.map { Datetime(at: $0) }, place: place.map { Datetime(at: $0) },
      isWatched: isWatched)
  }

  /// Whether an account is watched, and all that happens to it is told here.
  private func watches(_ actor: DID) async throws -> Bool {
    let (isWatched, reader) = facts.withLock { ($0.watched.contains(actor), $0.reader) }
    guard isWatched, let reader else { return false }
    let listings = [HistoryListing](followsOf: [actor])
    let readers = try await store.readers(of: listings)
    return listings.allSatisfy { readers[$0] == reader }
  }

  private func watched(_ actor: DID?) async throws -> DID {
    guard let actor else { throw Refusal.badRequest }
    guard try await watches(actor) else { throw Refusal.notWatched }
    guard behindSince == nil else { throw Refusal.behind }
    return actor
  }

  private func relationships(_ question: DaemonQuestion) async throws -> [RelationshipInfo] {
    let actor = try await watched(question.actor)
    guard question.targets.count <= DaemonInterface.mostTargets else { throw Refusal.badRequest }
    var known: [RelationshipInfo] = []
    for try await answer in workspace.relationships().relationships(of: actor, with: question.targets) {
      // The client asks the network about the rest, and says what is wrong.
      guard case .known(let info) = answer.state else { continue }
      known.append(info.source == .cache ? info.from(.daemon) : info)
    }
    return known
  }

  private func counts(of actor: DID) async throws -> DaemonCounts {
    let profiles = facts.withLock { facts in
      if let known = facts.profiles { return known }
      let made = workspace.liveProfiles(as: actor, workspace.relationships().overlay)
      facts.profiles = made
      return made
    }
    if let base = facts.withLock({ $0.bases[actor] }), let now = profiles.cachedProfile(of: actor) {
      return base.counts(now: now)
    }
    let profile = try await profiles.profile(of: actor)
    let base = Base(
      followers: profile.followersCount.map { Int($0) }, follows: profile.followsCount.map { Int($0) },
      readAt: workspace.time.instant)
    facts.withLock { $0.bases[actor] = base }
    return base.counts(now: nil)
  }

  private func accounts(on listing: HistoryListing) async throws -> LocalResponse {
    guard let snapshot = try await store.snapshots(of: listing).last(where: { $0.state == .complete }),
      try await store.gaps(of: listing).allSatisfy({ $0.closedAt != nil })
    else { throw Refusal.behind }
    guard snapshot.counts.listed <= DaemonInterface.mostAccounts else { throw Refusal.failed }
    // One at a time: each is in memory as a whole.
    return try await turns.take { [store] in
      var edges: [(account: DID, key: String)] = []
      try await store.eachEdge(of: listing) { edges.append(($0.account, $0.rkey?.description ?? "")) }
      // Keys are times.
      edges.sort { $0.key > $1.key }
      var body: [UInt8] = []
      for edge in edges {
        body += edge.account.description.utf8
        if !edge.key.isEmpty { body += " \(edge.key)".utf8 }
        body.append(UInt8(ascii: "\n"))
      }
      return LocalResponse(contentType: "text/plain; charset=utf-8", body: body)
    }
  }
}

extension LocalRequest {
  /// The account that the query names.
  fileprivate var actor: DID? { parameter("actor").flatMap { DID($0) } }

  fileprivate func parameter(_ name: String) -> String? { (try? queryItems)?[name] }
}
