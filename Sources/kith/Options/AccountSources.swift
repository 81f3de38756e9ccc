// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// The accounts that a command lists.
struct ListingRequest {
  var query: ListingQuery
  /// The accounts to check for blocks of the actor; nil for a whole listing.
  var among: [DID]?
  /// The cost, if only the command can compute it.
  var plan: CostPlan?
  /// The viewer for AppView calls; nil for anonymous calls, which show more: the AppView hides accounts that
  /// the viewer blocks.
  var account: AuthorizedAccount?

  var listing: ActorListing { query.listing }
  /// The filter on the accounts; nil for all.
  var predicate: AccountPredicate? { query.predicate }
}

extension ListingRequest {
  init(listing: ActorListing, among: [DID]? = nil, plan: CostPlan? = nil, account: AuthorizedAccount? = nil) {
    self.init(query: ListingQuery(listing), among: among, plan: plan, account: account)
  }
}

/// Options that name accounts by listings.
struct AccountSources: ParsableArguments {
  /// A listing of the signed-in account.
  enum Own: String, EnumerableFlag {
    case followers, following, mutuals
    case notFollowingBack = "not-following-back"
    case notFollowedBack = "not-followed-back"
    case blocks, mutes

    static func name(for value: Own) -> NameSpecification { .customLong(value.rawValue) }

    static func help(for value: Own) -> ArgumentHelp? {
      switch value {
      case .followers: "Your followers."
      case .following: "The accounts you follow."
      case .mutuals: "Your mutuals: you follow each other."
      case .notFollowingBack: "Accounts you follow that do not follow you back."
      case .notFollowedBack: "Followers you do not follow back."
      case .blocks: "The accounts you block."
      case .mutes: "The accounts you mute."
      }
    }
  }

  @Option(
    help: ArgumentHelp("The accounts that this account follows. May be repeated.", valueName: "account"),
    completion: .actor)
  var followsOf: [String] = []

  @Option(
    help: ArgumentHelp("The followers of this account. May be repeated.", valueName: "account"),
    completion: .actor)
  var followersOf: [String] = []

  @Option(
    help: ArgumentHelp(
      "The members of a list: AT-URI, URL, or the name of a list of yours. May be repeated.",
      valueName: "list"), completion: .ownList)
  var list: [String] = []

  @Flag var own: [Own] = []

  var isEmpty: Bool { followsOf.isEmpty && followersOf.isEmpty && list.isEmpty && own.isEmpty }

  /// The requested listings, in the order of the options in help.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for an invalid name; 77 if an option needs a signed-in
  ///   account.
  func requests(_ wiring: Wiring) async throws -> [ListingRequest] {
    var requests: [ListingRequest] = []
    for name in followsOf {
      requests.append(ListingRequest(listing: .follows(of: try await wiring.actor(named: name))))
    }
    for name in followersOf {
      requests.append(ListingRequest(listing: .followers(of: try await wiring.actor(named: name))))
    }
    for name in list {
      let uri = try await wiring.list(named: name, of: try await wiring.accountIfAny())
      requests.append(ListingRequest(listing: .members(of: uri)))
    }
    for own in own { requests.append(try await wiring.request(own)) }
    return requests
  }
}

extension Wiring {
  /// The request for a listing of the signed-in account.
  fileprivate func request(_ own: AccountSources.Own) async throws -> ListingRequest {
    let account = try await account()
    let actor = ATIdentifier.did(account.did)
    return switch own {
    case .followers: ListingRequest(listing: .followers(of: actor))
    case .following: ListingRequest(listing: .follows(of: actor))
    case .mutuals: ListingRequest(query: .mutuals(of: actor))
    case .notFollowingBack: ListingRequest(query: .notFollowingBack(actor))
    case .notFollowedBack: ListingRequest(query: .notFollowedBack(by: actor))
    case .blocks: ListingRequest(listing: .blocks(of: actor), account: account)
    case .mutes: ListingRequest(listing: .mutes(of: actor), account: account)
    }
  }

  /// The accounts of a request.
  ///
  /// - Parameter remembers: see ``listings(by:as:mutesOf:remembering:)``.
  func accounts(of request: ListingRequest, remembering remembers: Bool = false) -> AccountListing {
    listings(
      by: request.account?.appview ?? appview, as: request.account?.did, remembering: remembers
    ).accounts(request.query)
  }
}
