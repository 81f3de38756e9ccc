// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Filtered listings, and the facts learned for the filter.
@Suite struct SievedListingTests {
  private let actor = ATIdentifier.did(Accounts.did(0))
  private let now = Datetime(at: 1_800_000_000_000_000)

  /// An AppView whose listings contain the followers of the double, with a log of its calls.
  private func stage(
    _ double: AppViewDouble, listed: Range<Int>, counted: Int? = nil,
    failing: @escaping @Sendable (RequestQuery) -> Bool = { _ in false }
  ) throws -> (client: XRPCClient, transport: ScriptedTransport) {
    let transport = ScriptedTransport { request in
      let query = RequestQuery(request)
      if failing(query) { return .xrpcError(500, "Oops", "no") }
      switch query.method {
      case "app.bsky.graph.getFollows", "app.bsky.graph.getFollowers":
        let rows = listed.map { #"{"did":"\#(Accounts.did($0))","handle":"user\#($0).test"}"# }
        let start = query["cursor"].first.flatMap { Int($0) } ?? 0
        let limit = query["limit"].first.flatMap { Int($0) } ?? 50
        let end = min(rows.count, start + limit)
        let field = query.method == "app.bsky.graph.getFollows" ? "follows" : "followers"
        let cursor = end < rows.count ? #","cursor":"\#(end)""# : ""
        return TransportResponse(#"{"\#(field)":[\#(rows[start..<end].joined(separator: ","))]\#(cursor)}"#)
      default: return double.answer(request)
      }
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    return (client, transport)
  }

  private func read(_ listing: AccountListing) async throws -> (numbers: [DID], coverage: ListingCoverage) {
    var iterator = listing.makeAsyncIterator()
    var accounts: [DID] = []
    while let view = try await iterator.next() { accounts.append(view.account) }
    return (accounts, iterator.coverage)
  }

  @Test func mutualsAndOneSidedFollowsAreDistinguished() async throws {
    let back = [(1, 0), (3, 0), (0, 2), (0, 4)]
    let double = AppViewDouble(accounts: 10, follows: back)
    let listings = Listings(try stage(double, listed: 1..<5).client)
    #expect(try await read(listings.accounts(.mutuals(of: actor))).numbers == [1, 3].map(Accounts.did))
    #expect(try await read(listings.accounts(.notFollowingBack(actor))).numbers == [2, 4].map(Accounts.did))
    #expect(
      try await read(listings.accounts(.notFollowedBack(by: actor))).numbers == [1, 3].map(Accounts.did))
  }

  /// An AppView that does not show an account does not know whether it follows back: the account is neither
  /// listed nor forgotten, whether it was listed from records or given.
  @Test func accountsThatAreNotShownAreCountedAndNotListed() async throws {
    let double = AppViewDouble(accounts: 5, follows: [(1, 0), (8, 0)])
    double.change {
      $0.hidden = [Accounts.did(4): "AccountTakedown"]
      $0.unindexed = [Accounts.did(7), Accounts.did(8)]
    }
    let pds = PDSDouble(account: Accounts.did(0))
    for number in [1, 2, 4, 7, 8] {
      pds.put("app.bsky.graph.follow", "3k\(number)", subject: Accounts.did(number))
    }
    let (client, transport) = try stage(double, listed: 1..<3)
    let server = try pds.client()
    let listings = Listings(client) { _ in server }
    let listing = listings.accounts(
      .follows(of: actor), where: !AccountPredicate(.followedBy), with: .dates)
    let (numbers, coverage) = try await read(listing)
    #expect(numbers == [Accounts.did(2)])
    #expect(coverage.unseen == 2 && coverage.undecided == 0 && coverage.fault == nil)
    // Of those that records add, the AppView was asked once.
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 1)
    let given = try await read(
      listings.accounts(
        among: [1, 2, 4, 7].map(Accounts.did), of: actor, where: !AccountPredicate(.followedBy)))
    #expect(given.numbers == [Accounts.did(2)] && given.coverage.unseen == 2)
    #expect(transport.calls(of: "app.bsky.actor.getProfiles") == 2)
    // An edge that is returned is there, whatever else is known.
    let following = try await read(
      listings.accounts(.follows(of: actor), where: AccountPredicate(.followedBy), with: .dates))
    #expect(following.numbers == [1, 8].map(Accounts.did))
  }

  /// Whether a deleted account follows is unknown as well, but not for ever.
  @Test func deletedAccountsAreCountedByThemselvesWhereThatIsKnown() async throws {
    let double = AppViewDouble(accounts: 5)
    double.change { $0.unindexed = [Accounts.did(7), Accounts.did(8)] }
    let transport = ScriptedTransport { request in
      guard request.head.path == "/\(Accounts.did(7))" else { return double.answer(request) }
      return .absence(of: Accounts.did(7), status: 410)
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    let listings = Listings(client) { _ in client }
    let accounts = [1, 7, 8].map(Accounts.did)
    func coverage(_ details: Listings.Details) async throws -> ListingCoverage {
      let listing = listings.accounts(
        among: accounts, of: actor, where: !AccountPredicate(.followedBy), with: details)
      return try await read(listing).coverage
    }
    let unasked = try await coverage([])
    #expect(unasked.unseen == 2 && unasked.deleted == 0)
    let asked = try await coverage(.status)
    #expect(asked.unseen == 1 && asked.deleted == 1)
  }

  /// An AppView does not know the follows of an account that it does not show, but does know who follows it.
  @Test func whatANamedAccountThatIsNotShownFollowsIsUnknown() async throws {
    let double = AppViewDouble(accounts: 9, follows: [(8, 2), (3, 8), (4, 2)])
    double.change { $0.hidden = [Accounts.did(8): "AccountTakedown"] }
    func read(
      _ relation: Relation, with number: Int, not: Bool = false
    ) async throws -> (numbers: [DID], coverage: ListingCoverage, calls: Int) {
      let (client, transport) = try stage(double, listed: 1..<5)
      let predicate = AccountPredicate(relation, with: .account(.did(Accounts.did(number))))
      let listing = Listings(client).accounts(.followers(of: actor), where: not ? !predicate : predicate)
      let (numbers, coverage) = try await self.read(listing)
      // One call is for the count of the listing.
      return (numbers, coverage, transport.calls(of: "app.bsky.actor.getProfiles") - 1)
    }
    for not in [false, true] {
      let hidden = try await read(.following, with: 8, not: not)
      #expect(hidden.numbers == (not ? [] : [Accounts.did(2)]))
      #expect(hidden.coverage.undecided == 3 && hidden.calls == 1)
      let fault = hidden.coverage.fault as? RelationshipError
      #expect(fault?.code == .accountNotShown && fault?.subject == "\(Accounts.did(8))")
    }
    let followers = try await read(.followedBy, with: 8)
    #expect(followers.numbers == [Accounts.did(3)])
    #expect(followers.coverage.undecided == 0 && followers.calls == 0)
    let shown = try await read(.following, with: 4, not: true)
    #expect(shown.numbers.count == 3 && shown.coverage.undecided == 0 && shown.calls == 1)
    // A relationship that does not depend on the named account alone.
    let mutual = try await read(.mutual, with: 8, not: true)
    #expect(mutual.numbers == [1, 2, 4].map(Accounts.did) && mutual.coverage.undecided == 1)
  }

  /// The date of a follow is that of its record, in a listing and among given accounts.
  @Test func givenAccountsHaveTheDatesOfTheRecords() async throws {
    let double = AppViewDouble(accounts: 5, follows: [(0, 1), (0, 2)])
    let pds = PDSDouble(account: Accounts.did(0))
    for number in 1..<3 {
      pds.put("app.bsky.graph.follow", "3jzfcijpj2z2\(number)", subject: Accounts.did(number))
    }
    let (client, _) = try stage(double, listed: 1..<3)
    let server = try pds.client()
    let listings = Listings(client) { _ in server }
    let listed = try await read(listings.accounts(.follows(of: actor), with: .dates))
    var views: [AccountView] = []
    for try await view in listings.accounts(.follows(of: actor), with: .dates) { views.append(view) }
    let date = try #require(views.first?.since)
    let before = try AccountPredicate(parsing: "followed before \(date)", now: now)
    let since = try AccountPredicate(parsing: "followed since \(date)", now: now)
    for predicate in [before, since] {
      let inListing = try await read(listings.accounts(.follows(of: actor), where: predicate))
      let given = try await read(
        listings.accounts(among: listed.numbers, of: actor, where: predicate))
      #expect(inListing.numbers == given.numbers)
      let other = try await read(
        listings.accounts(
          among: listings.accounts(.followers(of: .did(Accounts.did(4)))), of: actor, where: predicate))
      #expect(other.numbers == inListing.numbers)
    }
  }

  /// Q15: a key may claim any date, so it only replaces a missing one.
  @Test func aKnownDateStaysIfTheRecordKeyClaimsAnother() async throws {
    let double = AppViewDouble(accounts: 3, follows: [(0, 1), (1, 0)])
    let pds = PDSDouble(account: Accounts.did(0))
    pds.put("app.bsky.graph.follow", "3jui7kd54zh2y", subject: Accounts.did(1))
    let (client, _) = try stage(double, listed: 1..<2)
    let server = try pds.client()
    let listings = Listings(client) { _ in server }
    // The relationship is looked up for the predicate, and contains the record again.
    var iterator = listings.accounts(
      .follows(of: actor), where: AccountPredicate(.followedBy), with: .dates
    ).makeAsyncIterator()
    let view = try #require(try await iterator.next())
    let known = try Datetime(parsing: "2025-01-01T00:00:00.000Z")
    let claimed = try #require(view.record?.claimedDate)
    #expect(claimed != known)
    #expect(view.since == known && view.sinceSource == .record)
  }

  @Test func knownFollowersAreComplete() async throws {
    let double = AppViewDouble(accounts: 400, follows: (1..<301).map { ($0, 399) })
    let (client, transport) = try stage(double, listed: 1..<351)
    let known = Listings(client).accounts(.knownFollowers(of: .did(Accounts.did(399)), to: actor))
    #expect(try await read(known).numbers == Accounts.dids(1..<301))
    let asked = transport.requests.map { RequestQuery($0) }.filter { $0.method.hasSuffix("getRelationships") }
    #expect(asked.count == 12)
    #expect(asked.allSatisfy { $0["actor"] == ["\(Accounts.did(399))"] })
  }

  @Test func commonFollowsQueryEachOtherActor() async throws {
    let double = AppViewDouble(accounts: 10, follows: [(7, 1), (7, 2), (8, 2), (8, 3)])
    let listings = Listings(try stage(double, listed: 1..<5).client)
    let others = [7, 8].map { ATIdentifier.did(Accounts.did($0)) }
    #expect(try await read(listings.accounts(.common(actor, others))).numbers == [Accounts.did(2)])
  }

  /// Promise 1: an account without a decision is neither listed nor forgotten.
  @Test func undecidedAccountsAreCounted() async throws {
    let double = AppViewDouble(accounts: 100, follows: (1..<61).map { ($0, 0) })
    let fails = "\(Accounts.did(45))"
    let (client, _) = try stage(double, listed: 1..<61) { $0["others"].contains(fails) }
    let (numbers, coverage) = try await read(Listings(client).accounts(.mutuals(of: actor)))
    #expect(numbers.count + coverage.undecided == 60)
    #expect(coverage.undecided >= 1 && coverage.undecided <= 30)
    #expect(coverage.fault is RelationshipError)
  }

  @Test func excludedAccountsAreNotLookedUpFurther() async throws {
    let double = AppViewDouble(accounts: 200, follows: (1..<151).map { ($0, 0) })
    let (client, transport) = try stage(double, listed: 1..<151)
    let predicate = try AccountPredicate(parsing: "followed-by and handle contains user14", now: now)
    let (numbers, _) = try await read(Listings(client).accounts(.follows(of: actor), where: predicate))
    #expect(numbers == [14].map(Accounts.did) + Accounts.dids(140..<150))
    let asked = transport.requests.map { RequestQuery($0) }.filter { $0.method.hasSuffix("getRelationships") }
    #expect(asked.flatMap { $0["others"] }.count == 11)
  }

  @Test func aMissingActorEndsTheListing() async throws {
    let (client, _) = try stage(AppViewDouble(accounts: 5), listed: 1..<3)
    let predicate = try AccountPredicate(parsing: "following with nobody.test", now: now)
    let error = await #expect(throws: RelationshipError.self) {
      try await read(Listings(client).accounts(.follows(of: actor), where: predicate))
    }
    #expect(error?.code == .actorNotFound)
  }

  /// Q15: a follower's date is in its record key.
  @Test func followersHaveTheDatesThatTheirKeysClaim() async throws {
    let double = AppViewDouble(accounts: 5, follows: [(1, 0), (2, 0)])
    let (client, _) = try stage(double, listed: 1..<4)
    var iterator = Listings(client).accounts(.followers(of: actor), with: .dates).makeAsyncIterator()
    let first = try #require(try await iterator.next())
    let tid = try TID(parsing: "3jui7kd54zh2z")
    #expect(first.since?.instant == Datetime(at: tid.instant).instant)
    #expect(first.record?.authority == .did(Accounts.did(1)))
    #expect(try await iterator.next()?.since != nil)
    // Listed, but not following according to the relationship: the date stays unknown.
    #expect(try await iterator.next()?.since == nil)
  }

  @Test(
    arguments: [
      ("AccountDeactivated", nil, 0, AccountStatus.deactivated), ("AccountTakedown", nil, 0, .suspended),
      (nil, nil, 404, .deleted), (nil, nil, 410, .deleted),
      (nil, #"{"did":"DID","active":false,"status":"suspended"}"#, 200, .suspended),
      (nil, #"{"did":"DID","active":false,"status":"deactivated"}"#, 200, .deactivated),
      (nil, #"{"did":"DID","active":false,"status":"throttled"}"#, 200, nil),
      (nil, #"{"did":"DID","active":true}"#, 200, .active),
    ] as [(String?, String?, Int, AccountStatus?)])
  func theStatusComesFromTheServerThatKnowsIt(
    hidden: String?, server: String?, directory: Int, status: AccountStatus?
  ) async throws {
    let gone = Accounts.did(3)
    let double = AppViewDouble(accounts: 3)
    if let hidden { double.change { $0.hidden[gone] = hidden } }
    let transport = ScriptedTransport { request in
      let query = RequestQuery(request)
      if query.method == "com.atproto.sync.getRepoStatus" {
        return TransportResponse(server?.replacing("DID", with: "\(gone)") ?? "{}")
      }
      if request.head.path?.hasPrefix("/did:plc") == true {
        guard directory == 200 else { return .absence(of: gone, status: directory) }
        let service =
          ##"{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://pds.test"}"##
        return TransportResponse(#"{"id":"\#(gone)","service":[\#(service)]}"#)
      }
      return double.answer(request)
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    let statuses = AccountStatuses(client: client, identities: IdentityDirectory(client: client)) { _ in
      client
    }
    #expect(try await statuses.outcomes(of: [gone])[gone]?.evidence.status == status)
  }

  @Test func looksUpNoMoreAccountsThanWanted() async throws {
    let double = AppViewDouble(accounts: 300, follows: (1..<251).map { ($0, 0) })
    let (client, transport) = try stage(double, listed: 1..<251)
    var iterator = Listings(client).accounts(.followers(of: actor), with: .dates, most: 3).makeAsyncIterator()
    for _ in 0..<3 { #expect(try await iterator.next()?.since != nil) }
    #expect(iterator.cursor?.description == "0.3")
    let methods = transport.requests.map { RequestQuery($0).method.split(separator: ".").last ?? "" }
    #expect(methods == ["getProfiles", "getFollowers", "getRelationships"])
  }

  /// However few are wanted at a time, and however many pages that takes.
  @Test(arguments: [7, 30, 240]) func aFilteredListingContinues(most: Int) async throws {
    let double = AppViewDouble(accounts: 700, follows: stride(from: 1, to: 351, by: 3).map { ($0, 0) })
    let (client, _) = try stage(double, listed: 1..<351)
    let predicate = AccountPredicate(.followedBy)
    var found: [DID] = []
    var cursor: ListingCursor?
    repeat {
      let listing = Listings(client).accounts(.follows(of: actor), where: predicate, from: cursor)
      var iterator = listing.makeAsyncIterator()
      for _ in 0..<most {
        guard let view = try await iterator.next() else { break }
        found.append(view.account)
      }
      cursor = try iterator.cursor.map { try #require(ListingCursor($0.description)) }
    } while cursor != nil
    #expect(found == stride(from: 1, to: 351, by: 3).map(Accounts.did))
  }

  /// Accounts read before a failing page are returned, and the cursor points to where it stopped.
  @Test func aFailingPageLosesNoAccounts() async throws {
    let double = AppViewDouble(accounts: 500, follows: (1..<401).map { ($0, 0) })
    let fails = PosixMutex(true)
    let (client, _) = try stage(double, listed: 1..<401) { query in
      query["cursor"] == ["100"] && fails.withLock(\.self)
    }
    var iterator = Listings(client).accounts(.mutuals(of: actor)).makeAsyncIterator()
    var found: [DID] = []
    await #expect(throws: RelationshipError.self) {
      while let view = try await iterator.next() { found.append(view.account) }
    }
    #expect(found == Accounts.dids(1..<101))
    fails.withLock { $0 = false }
    let rest = Listings(client).accounts(
      .follows(of: actor), where: AccountPredicate(.followedBy), from: iterator.cursor)
    #expect(try await read(rest).numbers == Accounts.dids(101..<401))
  }

  @Test(arguments: ["", "x", "-1.a", ".a", ".", "9223372036854775807.", "1000001.a"])
  func aForeignCursorIsInvalid(text: String) {
    #expect(ListingCursor(text) == nil)
  }

  /// A dot at the end of a sentence is not copied, and is not needed.
  @Test func aCursorOfTheFirstPageIsANumber() throws {
    let cursor = try #require(ListingCursor("3."))
    #expect(cursor == ListingCursor("3") && cursor.description == "3")
    #expect(ListingCursor("3.abc")?.description == "3.abc")
  }

  /// As long as those that listings accept from servers, and no longer.
  @Test func aCursorOfTheUserIsBounded() throws {
    let longest = "7." + String(repeating: "é", count: 1_024)
    #expect(try #require(ListingCursor(longest)).description == longest)
    #expect(ListingCursor(longest + "a") == nil)
  }

  @Test(arguments: [Int.max, .min]) func anyNumberOfAccountsMayBeWanted(most: Int) throws {
    let listings = Listings(
      XRPCClient(
        service: try ServiceURL(parsing: "https://appview.test"),
        transport: ScriptedTransport { _ in TransportResponse("{}") }))
    let cursor = try #require(ListingCursor("5."))
    #expect(
      listings.accounts(.followers(of: .did(Accounts.did(1))), from: cursor, most: most).makeAsyncIterator()
        .mustWait)
  }

  @Test func aListingContinuesAtItsCursor() async throws {
    let (client, transport) = try stage(AppViewDouble(accounts: 300), listed: 1..<251)
    var found: [DID] = []
    var cursor: ListingCursor?
    repeat {
      var iterator = Listings(client).accounts(.followers(of: actor), from: cursor, most: 120)
        .makeAsyncIterator()
      for _ in 0..<120 {
        guard let view = try await iterator.next() else { break }
        found.append(view.account)
      }
      cursor = iterator.cursor
    } while cursor != nil
    #expect(found == Accounts.dids(1..<251))
    let pages = transport.requests.map { RequestQuery($0) }.filter { $0.method.hasSuffix("getFollowers") }
    #expect(pages.flatMap { $0["limit"] }.prefix(2) == ["100", "20"])
  }

  @Test func theCursorNeverSkipsAnAccount() async throws {
    let (client, _) = try stage(AppViewDouble(accounts: 300), listed: 1..<251)
    var iterator = Listings(client).accounts(.followers(of: actor)).makeAsyncIterator()
    for _ in 0..<130 { _ = try await iterator.next() }
    #expect(iterator.cursor?.description == "30.100")
    for _ in 0..<70 { _ = try await iterator.next() }
    #expect(iterator.cursor?.description == "0.200")
    while try await iterator.next() != nil {}
    #expect(iterator.cursor == nil && iterator.isAtEnd)
  }
}
