// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

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
  /// The same request for the accounts that also match a predicate.
  func narrowed(to predicate: AccountPredicate) -> ListingRequest {
    var request = self
    request.query.predicate = self.predicate.map { $0 && predicate } ?? predicate
    return request
  }

  init(listing: ActorListing, among: [DID]? = nil, plan: CostPlan? = nil, account: AuthorizedAccount? = nil) {
    self.init(query: ListingQuery(listing), among: among, plan: plan, account: account)
  }
}

extension AccountSources {
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

  /// The accounts of a request, as the listing of the same name shows them.
  ///
  /// - Parameters:
  ///   - details: further facts to learn about each account.
  ///   - remembers: see ``listings(by:as:mutesOf:remembering:)``.
  /// - Throws: ``CommandFault`` if the filter needs an account that is not signed in.
  func accounts(
    of request: ListingRequest, with details: Listings.Details = [], from cursor: ListingCursor? = nil,
    most: Int? = nil, remembering remembers: Bool = false
  ) async throws -> AccountListing {
    let needsViewer = request.predicate?.needs.relationships.contains(.viewer) == true
    let viewer = needsViewer ? try await account() : request.account
    let listings = listings(
      by: request.account?.appview ?? appview, as: viewer?.did,
      mutesOf: try await owner(ofMutesIn: request.predicate, of: request.listing.actor),
      remembering: remembers)
    if let among = request.among {
      return listings.blocking(
        request.listing.actor, among: among, where: request.predicate, with: details.union(.names))
    }
    return listings.accounts(
      request.listing, where: request.predicate, with: details, from: cursor, most: most)
  }
}

extension ActorListing {
  /// The details that are read with a listing of the signed-in account: the dates of its follows, which its
  /// repository contains.
  var ownDetails: Listings.Details { if case .follows = self { .dates } else { [] } }
}
