// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// Tells a service of relationships what a stream told, as far as it is about Bluesky's graph.
///
/// What the history takes for the end of a follow or a block is believed. Of a record that the history did not know, only the
/// key is known: where the service shows it, a server has to tell what is left.
struct LiveFeed: Sendable {
  let service: FollowRelationshipService
  /// The actors of the listings.
  let watched: Set<DID>

  /// Tells what events changed.
  ///
  /// - Parameter changes: what they changed in the history, by the index of the event.
  func take(_ reading: StreamInterpreter.Reading, _ changes: [Int: [HistoryChange]]) {
    var edges: [ObservedEdge] = []
    for (index, event) in reading.events.enumerated() {
      add(event, changes[index] ?? [], reading.blocks[index], to: &edges)
    }
    for doubt in reading.doubts {
      guard case .unblocked(let author, let key) = doubt.kind else { continue }
      edges.append(ObservedEdge(by: author, about: nil, .block, .doubtful(key), at: doubt.cursor.at))
    }
    if !edges.isEmpty { service.observe(edges, among: watched) }
  }

  /// Tells what answers of servers changed. When that happened is unknown, and so is which counts have it.
  func take(_ answers: [HistoryEvent], _ found: ObservedEvents) {
    var edges: [ObservedEdge] = []
    for event in answers {
      // The record was told when it was made.
      if case .made = event.kind { continue }
      add(event, [], nil, to: &edges)
    }
    if !edges.isEmpty { service.observe(edges, among: watched) }
    let actors = Set(found.changes.map(\.change.listing.actor))
    if !actors.isEmpty { service.recount(actors) }
  }

  private func add(
    _ event: HistoryEvent, _ changes: [HistoryChange], _ key: RecordKey?, to edges: inout [ObservedEdge]
  ) {
    func add(
      _ account: DID, on listing: HistoryListing, _ change: ObservedEdge.Change, _ count: Int? = nil
    ) {
      guard let kind = listing.edgeKind, account != listing.actor else { return }
      let author = listing.author(of: account)
      let subject = author == account ? listing.actor : account
      let count = kind == .follow ? count.map { ObservedEdge.Count(of: listing.actor, by: $0) } : nil
      edges.append(ObservedEdge(by: author, about: subject, kind, change, count: count, at: event.at))
    }
    func addDoubt(_ author: DID, _ kind: EdgeKind = .follow, _ key: RecordKey? = nil) {
      edges.append(ObservedEdge(by: author, about: nil, kind, .doubtful(key), at: event.at))
    }
    func addBlock(_ account: DID, _ cause: LossCause, _ actor: DID, _ change: ObservedEdge.Change) {
      let (author, subject) = cause == .blocking ? (actor, account) : (account, actor)
      edges.append(ObservedEdge(by: author, about: subject, .block, change, at: event.at))
    }
    switch event.kind {
    case .made(let account, let key, let listing):
      add(account, on: listing, .made(key), changes.isEmpty ? nil : 1)
    case .deleted(let key, let collection, let author):
      for change in changes { add(change.account, on: change.listing, .gone(change.edge.rkey ?? key), -1) }
      guard changes.isEmpty,
        let kind = [EdgeKind.follow, .block].first(where: { $0.collection == collection })
      else { return }
      addDoubt(author, kind, key)
    case .purged(let account):
      for change in changes { add(account, on: change.listing, .doubtful(nil), -1) }
      addDoubt(account)
    case .hidden(let account, _), .shown(let account): addDoubt(account)
    case .blocked(let account, let cause, let listing):
      addBlock(account, cause, listing.actor, key.map { .made($0) } ?? .doubtful(nil))
    case .unblocked(let account, let cause, let listing):
      addBlock(account, cause, listing.actor, key.map { .gone($0) } ?? .doubtful(nil))
    case .lost(let loss, let listing): add(loss.account, on: listing, .doubtful(nil))
    case .renamed: break
    }
  }
}

extension HistoryListing {
  /// The kind of its records in Bluesky's graph; nil for other listings.
  fileprivate var edgeKind: EdgeKind? {
    switch side {
    case .followers, .follows: graph == .bluesky ? .follow : nil
    case .blocks: .block
    case .mutes, .members: nil
    }
  }
}
