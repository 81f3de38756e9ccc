// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

extension AccountSources {
  /// The requested listings; those of follows are of one graph.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for an invalid name; 77 if an option needs a signed-in
  ///   account.
  func queries(_ context: CommandContext, in graph: FollowGraph = .bluesky) async throws -> [ListingQuery] {
    try await queriesOfGraph(graph, context) + queriesOfNoGraph(context)
  }

  /// Whether listings of follows are requested, which each graph has of its own.
  var areOfGraph: Bool { !(followsOf.isEmpty && followersOf.isEmpty && own.allSatisfy { !$0.isOfGraph }) }

  /// The requested listings of follows in a graph.
  ///
  /// - Throws: as ``queries(_:in:)``; ``CommandFault`` `usage` for one that needs an index, if none is named.
  func queriesOfGraph(_ graph: FollowGraph, _ context: CommandContext) async throws -> [ListingQuery] {
    var queries: [ListingQuery] = []
    for name in followsOf {
      queries.append(.follows(of: try await context.workspace.actor(named: name), in: graph))
    }
    for name in followersOf {
      queries.append(.followers(of: try await context.workspace.actor(named: name), in: graph))
    }
    for own in own where own.isOfGraph {
      queries.append(own.query(of: .did(try await context.workspace.account().did), in: graph))
    }
    try context.checkIndex(for: queries)
    return queries
  }

  /// The requested listings that are the same whatever graph a change is about.
  ///
  /// - Throws: as ``queries(_:in:)``.
  func queriesOfNoGraph(_ context: CommandContext) async throws -> [ListingQuery] {
    var queries: [ListingQuery] = []
    for name in list {
      let uri = try await context.workspace.list(named: name, of: try await context.workspace.accountIfAny())
      queries.append(ListingQuery(.members(of: uri)))
    }
    for graph in followingIn {
      queries.append(.follows(of: .did(try await context.workspace.account().did), in: graph))
    }
    for name in pack {
      queries.append(ListingQuery(.members(of: try await context.workspace.starterPack(named: name).list)))
    }
    for name in knownFollowersOf {
      queries.append(
        .knownFollowers(
          of: try await context.workspace.actor(named: name),
          to: .did(try await context.workspace.account().did)))
    }
    for (reaction, posts) in reactions {
      for post in posts {
        queries.append(
          ListingQuery(.reactions(reaction, to: try await context.workspace.post(named: post))))
      }
    }
    for own in own where !own.isOfGraph {
      queries.append(own.query(of: .did(try await context.workspace.account().did), in: .bluesky))
    }
    return queries
  }
}

extension CommandContext {
  /// Checks that listings in the graphs of other apps can be read, before any call.
  ///
  /// - Throws: ``CommandFault`` `usage` for one that needs an index, if none is named.
  func checkIndex(for queries: [ListingQuery]) throws(CommandFault) {
    for case .graph(let listing) in queries.lazy.map(\.listing)
    where listing.needsIndex && workspace.index == nil {
      throw CommandFault(.usage, .graphNeedsIndex(listing.graph, listing.actor))
    }
  }
}

extension AccountSources {
  /// What has to be found.
  func findings(_ context: CommandContext) async throws -> [FindPeople] {
    var sources = search.map { FindPeople.Source.search($0) }
    for name in similarTo { sources.append(.similar(to: try await context.workspace.actor(named: name))) }
    sources += people.map(\.source)
    return sources.map { FindPeople($0, limit: first ?? FindPeople.usualLimit) }
  }

  /// The accounts that are found, each under its handle. Says what was left out.
  ///
  /// - Throws: why not all of them were found.
  func found(_ context: CommandContext) async throws -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for finding in try await findings(context) {
      let found = PosixMutex<[TargetStream.Origin]>([])
      let reporter = Reporter<PersonRow> { rows in
        found.withLock {
          $0 += rows.map {
            .question(RelationshipQuestion(input: $0.view.name, target: .did($0.view.account)))
          }
        }
      } note: { [context] in
        context.report($0)
      }
      let outcome = try await finding.run(in: context.workspace, reporter)
      if !context.common.quiet { context.report(.peopleFound(outcome, by: finding.source)) }
      if let interruption = outcome.rows.interruption { throw interruption }
      origins += found.withLock(\.self)
    }
    return origins
  }
}

extension AccountSources.Own {
  /// Whether each graph of follows has a listing of its own.
  fileprivate var isOfGraph: Bool {
    switch self {
    case .followers, .following, .mutuals, .notFollowingBack, .notFollowedBack: true
    case .blocks, .mutes: false
    }
  }

  /// The listing of an account.
  fileprivate func query(of actor: ATIdentifier, in graph: FollowGraph) -> ListingQuery {
    switch self {
    case .followers: .followers(of: actor, in: graph)
    case .following: .follows(of: actor, in: graph)
    case .mutuals: .mutuals(of: actor, in: graph)
    case .notFollowingBack: .notFollowingBack(actor, in: graph)
    case .notFollowedBack: .notFollowedBack(by: actor, in: graph)
    case .blocks: ListingQuery(.blocks(of: actor))
    case .mutes: ListingQuery(.mutes(of: actor))
    }
  }
}
