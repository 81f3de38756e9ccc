// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Listings that AppViews leave accounts out of (Q11, Q12), and what can be added to them.
@Suite struct AccountListingTests {
  private let actor = Accounts.did(0)

  /// An AppView whose pages list fewer of the actor's follows or followers than its count.
  private struct AppView {
    var counted: Int? = 0
    var pages: [Range<Int>] = []
    /// Accounts that `getProfiles` shows.
    var shown: Range<Int> = 0..<0
    var failsAtProfiles = false
    var failsAtPages = false
  }

  private func profile(_ number: Int, _ more: String = "") -> String {
    #"{"did":"\#(Accounts.did(number))","handle":"user\#(number).test","displayName":"User \#(number)"\#(more)}"#
  }

  private func client(_ view: AppView) throws -> (client: XRPCClient, transport: ScriptedTransport) {
    let transport = ScriptedTransport { [self] request in
      let query = RequestQuery(request)
      switch query.method {
      case "app.bsky.actor.getProfiles":
        let asked = query["actors"]
        if asked == ["\(actor)"] {
          guard let counted = view.counted else { return .xrpcError(500, "Oops", "no") }
          let counts = #","followsCount":\#(counted),"followersCount":\#(counted)"#
          return TransportResponse(#"{"profiles":[\#(profile(0, counts))]}"#)
        }
        if view.failsAtProfiles { return .xrpcError(500, "Oops", "no") }
        let profiles = view.shown.filter { asked.contains("\(Accounts.did($0))") }.map { profile($0) }
        return TransportResponse(#"{"profiles":[\#(profiles.joined(separator: ","))]}"#)
      default:
        if view.failsAtPages { return .xrpcError(500, "Oops", "no") }
        let page = query["cursor"].first.flatMap { Int($0) } ?? 0
        let rows = view.pages[page].map { profile($0) }.joined(separator: ",")
        let cursor = page + 1 < view.pages.count ? #","cursor":"\#(page + 1)""# : ""
        let field = query.method == "app.bsky.graph.getFollows" ? "follows" : "followers"
        return TransportResponse(#"{"\#(field)":[\#(rows)]\#(cursor)}"#)
      }
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    return (client, transport)
  }

  private func repository(following numbers: [Int]) -> PDSDouble {
    let pds = PDSDouble(account: actor)
    for (place, number) in numbers.enumerated() {
      pds.put("app.bsky.graph.follow", "3k\(place)", subject: Accounts.did(number))
    }
    return pds
  }

  private func list(
    _ listing: ActorListing, _ view: AppView, _ pds: PDSDouble? = nil, with details: Listings.Details = []
  ) async throws -> (views: [AccountView], coverage: ListingCoverage, methods: [String]) {
    let (client, transport) = try client(view)
    let server = try pds.map { try $0.client() }
    let listings = server.map { server in Listings(client) { _ in server } } ?? Listings(client)
    var iterator = listings.accounts(listing, with: details).makeAsyncIterator()
    var views: [AccountView] = []
    while let view = try await iterator.next() { views.append(view) }
    return (views, iterator.coverage, transport.requests.map { RequestQuery($0).method })
  }

  @Test func followsThatTheAppViewLeavesOutComeFromTheRepository() async throws {
    let view = AppView(counted: 6, pages: [1..<3, 3..<4], shown: 0..<6)
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), view, repository(following: [1, 2, 3, 4, 5, 6]))

    #expect(views.map(\.account).prefix(3) == Accounts.dids(1..<4)[...])
    #expect(Set(views.map(\.account)) == Set(Accounts.dids(1..<7)))
    let added = Dictionary(uniqueKeysWithValues: views.dropFirst(3).map { ($0.account, $0) })
    #expect(added[Accounts.did(4)]?.handle == Accounts.handle(4))
    #expect(added[Accounts.did(4)]?.displayName == "User 4")
    #expect(added[Accounts.did(6)]?.handle == nil)
    #expect(added[Accounts.did(6)]?.record?.collection == .follow)
    #expect((coverage.counted, coverage.listed) == (6, 3))
    #expect((coverage.hidden, coverage.gone, coverage.missing) == (2, 1, 0))
  }

  @Test func theRepositoryIsReadOnlyIfAccountsAreMissing() async throws {
    let pds = repository(following: [1, 2])
    pds.change { $0.answerToQuestions = .xrpcError(500, "Oops", "not to be asked") }
    let (views, coverage, methods) = try await list(
      .follows(of: .did(actor)), AppView(counted: 2, pages: [1..<3]), pds)
    #expect(views.map(\.account) == Accounts.dids(1..<3))
    #expect(coverage.fault == nil)
    #expect(methods == ["app.bsky.actor.getProfiles", "app.bsky.graph.getFollows"])
  }

  @Test func followersThatCannotBeListedAreCounted() async throws {
    let (views, coverage, methods) = try await list(
      .followers(of: .did(actor)), AppView(counted: 258, pages: [1..<101, 101..<201]),
      repository(following: [])
    )
    #expect(views.count == 200)
    #expect((coverage.counted, coverage.listed, coverage.added, coverage.missing) == (258, 200, 0, 58))
    #expect(methods.count { $0 == "app.bsky.graph.getFollowers" } == 2)
    #expect(methods.count == 3)
  }

  @Test func listedAccountsAreKeptIfTheRepositoryFails() async throws {
    let pds = repository(following: [1, 2, 3])
    pds.change { $0.answerToQuestions = .xrpcError(400, "InvalidRequest", "Could not find repo") }
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), AppView(counted: 3, pages: [1..<3]), pds)
    #expect(views.map(\.account) == Accounts.dids(1..<3))
    #expect(coverage.missing == 1)
    #expect(coverage.fault is RepositoryError)
  }

  @Test func accountsWithoutNamesAreListedByDID() async throws {
    let view = AppView(counted: 3, pages: [1..<2], shown: 0..<4, failsAtProfiles: true)
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), view, repository(following: [1, 2, 3]))
    #expect(Set(views.map(\.account)) == Set(Accounts.dids(1..<4)))
    #expect((coverage.unnamed, coverage.hidden, coverage.gone, coverage.missing) == (2, 0, 0, 0))
    #expect(coverage.fault is RelationshipError)
  }

  @Test func aListingContinuesWithoutItsCount() async throws {
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), AppView(counted: nil, pages: [1..<3]), repository(following: [1, 2, 3]))
    #expect(views.map(\.account) == Accounts.dids(1..<3))
    #expect(coverage.counted == nil)
    #expect(coverage.fault is RelationshipError)
  }

  @Test func unreadableRecordsAreReported() async throws {
    let pds = repository(following: [1, 2])
    pds.put("app.bsky.graph.follow", "3kz", subject: "absent")
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), AppView(counted: 3, pages: [1..<2], shown: 0..<3), pds)
    #expect(views.map(\.account) == Accounts.dids(1..<3))
    #expect(coverage.malformed.count == 1)
    #expect(coverage.missing == 1)
  }

  @Test func datesAndRecordsComeFromTheRepositoryFirst() async throws {
    let view = AppView(counted: 3, pages: [1..<4], shown: 0..<5)
    let (views, coverage, methods) = try await list(
      .follows(of: .did(actor)), view, repository(following: [1, 2, 4, 5]), with: .dates)
    #expect(views.map(\.account).prefix(3) == Accounts.dids(1..<4)[...])
    #expect(Set(views.map(\.account)) == Set(Accounts.dids(1..<6)))
    // Q20: an edge without a record cannot be deleted.
    #expect(views.map { $0.since == nil } == [false, false, true, false, false])
    #expect(views.map(\.displayName).prefix(3) == ["User 1", "User 2", "User 3"])
    #expect((coverage.unrecorded, coverage.hidden, coverage.gone, coverage.missing) == (1, 1, 1, 0))
    #expect(methods == ["app.bsky.graph.getFollows", "app.bsky.actor.getProfiles"])
  }

  @Test func withoutItsRepositoryAListingHasNoDates() async throws {
    let pds = repository(following: [])
    pds.change { $0.answerToQuestions = .xrpcError(500, "Oops", "no") }
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), AppView(counted: 3, pages: [1..<4]), pds, with: .dates)
    #expect(views.map(\.account) == Accounts.dids(1..<4))
    #expect(coverage.fault is RepositoryError)
    #expect(coverage.unrecorded == 0)
  }

  @Test func nothingIsListedIfNoServerAnswers() async throws {
    let pds = repository(following: [])
    pds.change { $0.answerToQuestions = .xrpcError(500, "Oops", "no") }
    await #expect(throws: RelationshipError.self) {
      try await list(
        .follows(of: .did(actor)), AppView(counted: 3, pages: [], failsAtPages: true), pds, with: .dates)
    }
    await #expect(throws: RepositoryError.self) { try await list(.blocks(of: .did(actor)), AppView(), pds) }
  }

  @Test func anEndlessRepositoryIsNotReadForever() async throws {
    let pds = PDSDouble(account: actor)
    for number in 1..<1_500 {
      pds.put("app.bsky.graph.follow", "3k\(number)", subject: Accounts.did(number))
    }
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), AppView(counted: 3, pages: [1..<2], shown: 0..<9), pds)
    #expect(views.count > 1_000 && views.count < 1_200)
    #expect(coverage.gone > 900)
  }

  @Test func blocksComeFromTheRepositoryAlone() async throws {
    let pds = PDSDouble(account: actor)
    for number in 1..<61 { pds.put("app.bsky.graph.block", "3k\(number)", subject: Accounts.did(number)) }
    let (views, coverage, methods) = try await list(.blocks(of: .did(actor)), AppView(shown: 0..<51), pds)
    #expect(Set(views.map(\.account)) == Set(Accounts.dids(1..<61)))
    #expect(views.allSatisfy { $0.since != nil && $0.record?.collection == .block })
    #expect((coverage.listed, coverage.gone, coverage.hidden) == (50, 10, 0))
    #expect(methods == Array(repeating: "app.bsky.actor.getProfiles", count: 3))
  }

  @Test func anAccountWithTwoRecordsIsListedOnce() async throws {
    let (views, coverage, _) = try await list(
      .follows(of: .did(actor)), AppView(counted: 4, pages: [1..<3], shown: 0..<4),
      repository(following: [1, 3, 3, 2]))
    #expect(views.count == 3)
    #expect(coverage.missing == 1)
  }
}
