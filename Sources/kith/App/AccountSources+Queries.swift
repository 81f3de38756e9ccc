// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

extension AccountSources {
  /// The requested listings, in the order of the options in help.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for an invalid name; 77 if an option needs a signed-in
  ///   account.
  func queries(_ context: CommandContext) async throws -> [ListingQuery] {
    var queries: [ListingQuery] = []
    for name in followsOf {
      queries.append(ListingQuery(.follows(of: try await context.workspace.actor(named: name))))
    }
    for name in followersOf {
      queries.append(ListingQuery(.followers(of: try await context.workspace.actor(named: name))))
    }
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
    for own in own { queries.append(own.query(of: .did(try await context.workspace.account().did))) }
    return queries
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
  /// The listing of an account.
  fileprivate func query(of actor: ATIdentifier) -> ListingQuery {
    switch self {
    case .followers: ListingQuery(.followers(of: actor))
    case .following: ListingQuery(.follows(of: actor))
    case .mutuals: .mutuals(of: actor)
    case .notFollowingBack: .notFollowingBack(actor)
    case .notFollowedBack: .notFollowedBack(by: actor)
    case .blocks: ListingQuery(.blocks(of: actor))
    case .mutes: ListingQuery(.mutes(of: actor))
    }
  }
}
