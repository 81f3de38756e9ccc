// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// What a command lists.
struct ListingRequest {
  var query: ListingQuery
  /// Those among whom who block the actor are looked for; nil where a whole listing is wanted.
  var among: [DID]?
  /// What it would cost, where the command alone can tell.
  var plan: CostPlan?
  /// As whom the AppView is asked; nil for nobody, to whom it shows more: it leaves out whom a viewer blocks.
  var account: AuthorizedAccount?

  var listing: ActorListing { query.listing }
  /// Which accounts of it are wanted; nil for all.
  var predicate: AccountPredicate? { query.predicate }
}

extension ListingRequest {
  init(listing: ActorListing, among: [DID]? = nil, plan: CostPlan? = nil, account: AuthorizedAccount? = nil) {
    self.init(query: ListingQuery(listing), among: among, plan: plan, account: account)
  }
}

/// Options that name accounts by the listings that they are on.
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
      case .followers: "Who follows you."
      case .following: "Whom you follow."
      case .mutuals: "Who follows you and is followed back."
      case .notFollowingBack: "Whom you follow who do not follow back."
      case .notFollowedBack: "Who follows you and is not followed back."
      case .blocks: "Whom you block."
      case .mutes: "Whom you mute."
      }
    }
  }

  @Option(help: ArgumentHelp("Everybody whom this actor follows. May be repeated.", valueName: "actor"))
  var followsOf: [String] = []

  @Option(help: ArgumentHelp("Everybody who follows this actor. May be repeated.", valueName: "actor"))
  var followersOf: [String] = []

  @Option(
    help: ArgumentHelp(
      "Everybody on this list, by AT-URI, URL, or the name of one of yours. May be repeated.",
      valueName: "list"))
  var list: [String] = []

  @Flag var own: [Own] = []

  var isEmpty: Bool { followsOf.isEmpty && followersOf.isEmpty && list.isEmpty && own.isEmpty }

  /// What is listed, in the order of the options in help.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for a text that names nothing; 77 where an option needs somebody who is
  ///   signed in.
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
  /// What a listing of the signed-in account is.
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

  /// The accounts that a request is for.
  ///
  /// - Parameter remembers: as of ``listings(by:as:mutesOf:remembering:)``.
  func accounts(of request: ListingRequest, remembering remembers: Bool = false) -> AccountListing {
    listings(
      by: request.account?.appview ?? appview, as: request.account?.did, remembering: remembers
    ).accounts(request.query)
  }
}
