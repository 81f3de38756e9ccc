// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

/// Complete collections of the account's own repository, as listed, with later writes applied.
struct OwnEdgesCache: Sendable {
  private var edges = PlanningFacts()
  private var listedAt: [Int: Duration] = [:]
  /// Writes that a listing in flight may have missed.
  private var news: [(write: RecordWrite, subject: IntentKey)] = []
  private static let parts = [SubjectFacts.Parts.follows, .blocks, .listBlocks]
  /// Whether the listing in flight may be older than later changes.
  private var isSpoilt = false

  /// Returns the collections that were listed less than `memory` ago.
  ///
  /// - Parameter justListed: collections that count as fresh, however short the memory.
  func edges(
    at now: Duration, within memory: Duration, and justListed: SubjectFacts.Parts = []
  ) -> (parts: SubjectFacts.Parts, edges: PlanningFacts) {
    var parts: SubjectFacts.Parts = []
    for part in Self.parts {
      if let listed = listedAt[part.rawValue], now - listed < memory || justListed.contains(part) {
        parts.insert(part)
      }
    }
    var edges = PlanningFacts()
    if parts.contains(.follows) { edges.follows = self.edges.follows }
    if parts.contains(.blocks) { edges.blocks = self.edges.blocks }
    if parts.contains(.listBlocks) { edges.listBlocks = self.edges.listBlocks }
    return (parts, edges)
  }

  /// When the first of these collections was listed; nil if none was.
  func oldestListing(of parts: SubjectFacts.Parts) -> Duration? {
    Self.parts.filter { parts.contains($0) }.compactMap { listedAt[$0.rawValue] }.min()
  }

  /// Begins a listing.
  mutating func beginListing() { (news, isSpoilt) = ([], false) }

  /// Forgets everything after an uncertain write; only a listing that begins later is used.
  mutating func forget() {
    self = OwnEdgesCache()
    isSpoilt = true
  }

  /// Stores listed collections.
  mutating func listed(_ listed: PlanningFacts, at now: Duration) {
    if isSpoilt { return }
    if let follows = listed.follows {
      (edges.follows, listedAt[SubjectFacts.Parts.follows.rawValue]) = (follows, now)
    }
    if let blocks = listed.blocks {
      (edges.blocks, listedAt[SubjectFacts.Parts.blocks.rawValue]) = (blocks, now)
    }
    if let lists = listed.listBlocks {
      (edges.listBlocks, listedAt[SubjectFacts.Parts.listBlocks.rawValue]) = (lists, now)
    }
    for (write, subject) in news { apply(write, about: subject) }
    news = []
  }

  /// Applies a write that the repository has accepted.
  mutating func take(_ write: RecordWrite, about subject: IntentKey, whileListing: Bool) {
    if whileListing { news.append((write, subject)) }
    apply(write, about: subject)
  }

  private mutating func apply(_ write: RecordWrite, about subject: IntentKey) {
    switch (subject, write.collection) {
    case (.edges(let account), .follow): Self.apply(write, about: account, to: &edges.follows)
    case (.edges(let account), .block): Self.apply(write, about: account, to: &edges.blocks)
    case (.listBlock(let list), .listblock): Self.apply(write, about: list, to: &edges.listBlocks)
    default: break
    }
  }

  private static func apply<Record: EdgeRecord>(
    _ write: RecordWrite, about subject: Record.Subject, to edges: inout OwnEdges<Record>?
  ) {
    switch write.action {
    case .create(let value), .update(let value, former: _): edges?.insert(write.rkey, value, about: subject)
    case .delete: edges?.remove(write.rkey, about: subject)
    }
  }
}
