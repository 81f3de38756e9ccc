// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Whole collections of the own repository, as they were listed and have been written to since.
struct OwnBook: Sendable {
  private var edges = KnownGraph()
  private var listedAt: [Int: Duration] = [:]
  /// Writes that a listing under way may not have seen.
  private var news: [(write: RecordWrite, subject: WishSubject)] = []
  private static let parts = [GraphKnowledge.Parts.follows, .blocks, .listBlocks]
  /// Whether what is being listed may be older than what happened since.
  private var isSpoilt = false

  /// The collections that were listed less than so long ago, or ever.
  func edges(at now: Duration, within memory: Duration?) -> (parts: GraphKnowledge.Parts, edges: KnownGraph) {
    var parts: GraphKnowledge.Parts = []
    for part in Self.parts {
      if let listed = listedAt[part.rawValue], memory.map({ now - listed < $0 }) ?? true {
        parts.insert(part)
      }
    }
    var edges = KnownGraph()
    if parts.contains(.follows) { edges.follows = self.edges.follows }
    if parts.contains(.blocks) { edges.blocks = self.edges.blocks }
    if parts.contains(.listBlocks) { edges.listBlocks = self.edges.listBlocks }
    return (parts, edges)
  }

  /// When the first of these collections was listed; nil where none was.
  func oldestListing(of parts: GraphKnowledge.Parts) -> Duration? {
    Self.parts.filter { parts.contains($0) }.compactMap { listedAt[$0.rawValue] }.min()
  }

  /// A listing begins.
  mutating func beginListing() { (news, isSpoilt) = ([], false) }

  /// Something may have been written, or may not: only a listing that begins from now on tells.
  mutating func forget() {
    self = OwnBook()
    isSpoilt = true
  }

  /// Collections have been listed.
  mutating func listed(_ listed: KnownGraph, at now: Duration) {
    if isSpoilt { return }
    if let follows = listed.follows {
      (edges.follows, listedAt[GraphKnowledge.Parts.follows.rawValue]) = (follows, now)
    }
    if let blocks = listed.blocks {
      (edges.blocks, listedAt[GraphKnowledge.Parts.blocks.rawValue]) = (blocks, now)
    }
    if let lists = listed.listBlocks {
      (edges.listBlocks, listedAt[GraphKnowledge.Parts.listBlocks.rawValue]) = (lists, now)
    }
    for (write, subject) in news { apply(write, about: subject) }
    news = []
  }

  /// The repository has taken a write.
  mutating func take(_ write: RecordWrite, about subject: WishSubject, whileListing: Bool) {
    if whileListing { news.append((write, subject)) }
    apply(write, about: subject)
  }

  private mutating func apply(_ write: RecordWrite, about subject: WishSubject) {
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
