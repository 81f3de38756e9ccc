// SPDX-License-Identifier: Apache-2.0

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
    for own in own { queries.append(own.query(of: .did(try await context.workspace.account().did))) }
    return queries
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
