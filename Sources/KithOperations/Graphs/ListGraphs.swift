// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// Lists the graphs in which an account follows others, with the number of its follows in each.
///
/// The collections of the repository tell which graphs there are: those that Kith knows, and others whose name ends in
/// `follow`. Each is read whole.
public struct ListGraphs: KithOperation {
  public static let name = "listGraphs"

  public var actor: ATIdentifier

  public init(of actor: ATIdentifier) { self.actor = actor }

  public func run(in workspace: Workspace, _ report: Reporter<GraphRow>) async throws -> RowsOutcome {
    await report.deliver { rows in
      let owner = try await workspace.identities.did(of: actor)
      let follows = try await GraphFollows.all(of: owner, in: workspace, graphs: nil)
      let onBluesky = Set(follows.first { $0.graph == .bluesky }?.accounts.keys ?? [:].keys)
      for follows in follows {
        let followers = try await workspace.index?.count(to: owner, in: follows.graph)
        let isBluesky = follows.graph == .bluesky
        try await rows.append(
          GraphRow(
            actor: owner, graph: follows.graph, follows: follows.accounts.count,
            alsoOnBluesky: isBluesky ? nil : follows.accounts.keys.count { onBluesky.contains($0) },
            otherSubjects: follows.otherSubjects, unreadable: follows.unreadable, followers: followers))
      }
    }
  }
}

/// Compares the follows of an account in two graphs.
public struct CompareGraphs: KithOperation {
  public static let name = "compareGraphs"

  public var actor: ATIdentifier
  public var first: FollowGraph
  public var second: FollowGraph
  /// The graph whose follows are listed if the other one lacks them; nil for all.
  public var onlyIn: FollowGraph?
  /// The most rows; nil for all.
  public var limit: Int?

  public init(
    of actor: ATIdentifier, _ first: FollowGraph, _ second: FollowGraph, onlyIn: FollowGraph? = nil,
    limit: Int? = nil
  ) {
    (self.actor, self.first, self.second, self.onlyIn, self.limit) = (actor, first, second, onlyIn, limit)
  }

  /// How many accounts are followed where.
  public struct Outcome: OutcomeOfRows {
    public let first: FollowGraph
    public let second: FollowGraph
    public fileprivate(set) var inBoth = 0
    public fileprivate(set) var onlyInFirst = 0
    public fileprivate(set) var onlyInSecond = 0
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "first": .string(first.name),
        "second": .string(second.name),
        "inBoth": .integer(inBoth),
        "onlyInFirst": .integer(onlyInFirst),
        "onlyInSecond": .integer(onlyInSecond),
      ])
    }
  }

  /// Names per lookup: eight parallel calls.
  private static let batchSize = 8 * AccountViews.batchSize

  public func run(in workspace: Workspace, _ report: Reporter<GraphDifferenceRow>) async throws -> Outcome {
    var outcome = Outcome(first: first, second: second)
    let owner = try await workspace.identities.did(of: actor)
    let found = try await GraphFollows.all(of: owner, in: workspace, graphs: [first, second])
    let (one, other) = (found[0].accounts, found[1].accounts)
    outcome.inBoth = one.keys.count { other[$0] != nil }
    outcome.onlyInFirst = one.count - outcome.inBoth
    outcome.onlyInSecond = other.count - outcome.inBoth
    let accounts = Array(Set(one.keys).union(other.keys)).filter { account in
      switch onlyIn {
      case first?: other[account] == nil
      case second?: one[account] == nil
      default: true
      }
    }
    // The newest first, as everywhere.
    func moment(_ account: DID) -> Instant {
      [one[account], other[account]].compactMap { $0?.since?.instant }.max() ?? .distantPast
    }
    let inOrder = accounts.map { (moment($0), $0) }.sorted { ($1.0, "\($1.1)") < ($0.0, "\($0.1)") }.map(\.1)
      .prefix(limit ?? .max)
    var documents = Workspace.mostNamingDocuments
    outcome.rows = await report.deliver { rows in
      for batch in Array(inOrder).parts(of: Self.batchSize) {
        let views = try await workspace.namesFromAnywhere(of: batch, &documents)
        for account in batch {
          try await rows.append(
            GraphDifferenceRow(
              view: views[account] ?? AccountView(account),
              records: [(first, one[account]?.record), (second, other[account]?.record)]))
        }
        try await rows.flush()
      }
    }
    return outcome
  }
}

extension GraphFollows {
  /// - Parameter graphs: nil for those that the account has, Bluesky's first.
  fileprivate static func all(
    of owner: DID, in workspace: Workspace, graphs: [FollowGraph]?
  ) async throws -> [GraphFollows] {
    let client = try await workspace.repository(of: owner)
    let wanted: [FollowGraph]
    if let graphs {
      wanted = graphs
    } else {
      wanted = ListGraphs.graphs(among: try await workspace.collections(of: owner))
    }
    return try await wanted.concurrentMap(atMost: wanted.count) { graph in
      try await GraphFollows(graph, by: RecordReader(of: owner, client: client))
    }
  }

}

extension Workspace {
  /// The collections in a repository, by `com.atproto.repo.describeRepo`.
  ///
  /// - Throws: ``RepositoryError``, ``IdentityError``, `CancellationError`.
  func collections(of owner: DID) async throws -> Set<NSID> {
    try await RecordReader(of: owner, client: try await repository(of: owner)).collections()
  }
}

extension ListGraphs {
  /// The graphs whose records are in some collections, and Bluesky: the known ones first.
  static func graphs(among collections: Set<NSID>) -> [FollowGraph] {
    let others = collections.filter(FollowGraph.isLikely).compactMap { FollowGraph($0) }
    let known = FollowGraph.known.filter { others.contains($0) || $0 == .bluesky }
    return known + others.filter { !$0.isKnown && !$0.isReserved }.sorted { $0.name < $1.name }
  }
}
