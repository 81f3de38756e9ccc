// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct ListingsTests {
  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
  }

  private func profile(_ number: Int) -> String {
    #"{"did":"\#(Accounts.did(number))","handle":"user\#(number).test"}"#
  }

  private func page(
    _ numbers: Range<Int>, cursor: String?, of field: String = "followers"
  ) -> TransportResponse {
    let rows = numbers.map(profile).joined(separator: ",")
    let cursor = cursor.map { #","cursor":"\#($0)""# } ?? ""
    return TransportResponse(#"{"subject":\#(profile(0)),"\#(field)":[\#(rows)]\#(cursor)}"#)
  }

  private let followers = ActorListing.followers(of: .did(Accounts.did(0)))

  private func list(_ transport: ScriptedTransport) async throws -> (found: [DID], fault: RelationshipError?)
  {
    var found: [DID] = []
    do {
      for try await view in Listings(try client(transport)).pages(of: followers) {
        found.append(view.account)
      }
    } catch let error as RelationshipError {
      return (found, error)
    }
    return (found, nil)
  }

  @Test(arguments: [
    (ActorListing.follows(of: .did(Accounts.did(0))), "follows"),
    (.followers(of: .did(Accounts.did(0))), "followers"), (.blocks(of: .did(Accounts.did(0))), "blocks"),
    (.mutes(of: .did(Accounts.did(0))), "mutes"),
  ])
  func namesTheFieldOfTheMethodThatIsMissing(listing: ActorListing, field: String) async throws {
    // An AppView that leaves out empty arrays, and one that answers another method.
    for body in [#"{"subject":\#(profile(0))}"#, #"{"subject":\#(profile(0)),"others":[]}"#] {
      let listings = Listings(try client(ScriptedTransport(responses: [TransportResponse(body)])))
      let error = await #expect(throws: RelationshipError.self) {
        for try await _ in listings.pages(of: listing) {}
      }
      let cause = (error?.underlying as? XRPCError)?.underlying as? DecodingError
      guard case .keyNotFound(let key, _) = cause else { throw try #require(error) }
      #expect(key.stringValue == field)
    }
  }

  /// Q11: only a missing cursor is the end.
  @Test func skipsShortAndEmptyPages() async throws {
    let transport = ScriptedTransport(responses: [
      page(1..<4, cursor: "a"), page(0..<0, cursor: "b"), page(4..<5, cursor: "c"), page(0..<0, cursor: nil),
    ])
    let (found, fault) = try await list(transport)
    #expect(found == Accounts.dids(1..<5))
    #expect(fault == nil)
    #expect(transport.requests.map { RequestQuery($0)["cursor"] } == [[], ["a"], ["b"], ["c"]])
    #expect(transport.requests.allSatisfy { RequestQuery($0)["limit"] == ["100"] })
    #expect(transport.requests.allSatisfy { RequestQuery($0)["actor"] == ["\(Accounts.did(0))"] })
  }

  @Test func leavesOutEntriesOfThePreviousPage() async throws {
    let transport = ScriptedTransport(responses: [
      page(1..<4, cursor: "a"), page(3..<6, cursor: "b"), page(0..<0, cursor: "c"), page(5..<7, cursor: nil),
    ])
    // But not entries of earlier pages: a listing may contain an account twice.
    #expect(try await list(transport).found == Accounts.dids(1..<6) + Accounts.dids(5..<7))
  }

  @Test func requestsNoUnneededPage() async throws {
    let transport = ScriptedTransport(responses: [page(1..<3, cursor: "a")])
    var iterator = Listings(try client(transport)).pages(of: followers).makeAsyncIterator()
    #expect(transport.requests.isEmpty)
    #expect(try await iterator.next()?.account == Accounts.did(1))
    #expect(try await iterator.next()?.account == Accounts.did(2))
    #expect(transport.requests.count == 1)
  }

  @Test func aRepeatedCursorFailsAfterItsPage() async throws {
    let transport = ScriptedTransport { [self] request in
      page(RequestQuery(request)["cursor"].isEmpty ? 1..<3 : 3..<5, cursor: "same")
    }
    let (found, fault) = try await list(transport)
    #expect(found == Accounts.dids(1..<5))
    #expect(fault?.code == .invalidResponse)
    #expect(
      fault.map { "\($0)".contains("app.bsky.graph.getFollowers") && "\($0)".contains("cursor") } == true)
    #expect(transport.requests.count == 2)
  }

  @Test func endlessEmptyPagesFail() async throws {
    let transport = ScriptedTransport { [self] request in
      page(0..<0, cursor: "x" + (RequestQuery(request)["cursor"].first ?? ""))
    }
    let (found, fault) = try await list(transport)
    #expect(found.isEmpty)
    #expect(fault?.code == .invalidResponse)
    #expect(transport.requests.count == 100)
  }

  /// One bad element costs one entry; the listing then fails once, at its end, because it is incomplete.
  @Test(arguments: ["null", #"{"did":"did:plc:","handle":"a.test"}"#, "7", #"{"handle":"a.test"}"#])
  func anUnreadableElementCostsOnlyItself(element: String) async throws {
    let transport = ScriptedTransport { [self] request in
      RequestQuery(request)["cursor"].isEmpty
        ? TransportResponse(
          #"{"subject":\#(profile(0)),"followers":[\#(profile(1)),\#(element),\#(profile(2))],"cursor":"a"}"#)
        : page(3..<5, cursor: nil)
    }
    let (found, fault) = try await list(transport)
    #expect(found == Accounts.dids(1..<5))
    #expect(fault?.code == .invalidResponse)
    #expect(fault?.path?.hasPrefix("followers[1]") == true)
    #expect(fault?.detail.contains("1") == true)
    #expect(transport.requests.count == 2)
    // The listing with coverage goes on, and counts it.
    var listing = Listings(try client(transport)).accounts(followers).makeAsyncIterator()
    var listed: [DID] = []
    while let view = try await listing.next() { listed.append(view.account) }
    #expect(listed == Accounts.dids(1..<5))
    #expect(listing.coverage.unreadable == 1 && listing.coverage.isPartial)
    #expect((listing.coverage.fault as? RelationshipError)?.code == .invalidResponse)
  }

  /// A profile that cannot be read may be that of any account without one: those are unknown, not hidden.
  @Test func anUnreadableProfileLeavesAccountsUnknown() async throws {
    let transport = ScriptedTransport { [self] _ in
      TransportResponse(#"{"profiles":[\#(profile(1)),{"did":"no"}]}"#)
    }
    let found = try await AccountViews(client: try client(transport)).outcomes(of: Accounts.dids(1..<3))
    #expect(try found[Accounts.did(1)]?.get()?.handle?.description == "user1.test")
    #expect(throws: RelationshipError.self) { try found[Accounts.did(2)]?.get() }
  }

  @Test func listsFollowsAndMembersToo() async throws {
    let transport = ScriptedTransport { [self] request in
      switch RequestQuery(request).method {
      case "app.bsky.graph.getFollows": return page(1..<2, cursor: nil, of: "follows")
      case "app.bsky.graph.getList":
        let list =
          #"{"uri":"at://\#(Accounts.did(0))/app.bsky.graph.list/3k2a","cid":"bafyreidfayvfuwqa7qlnopdjiqrxzs6blmoeu4rujcjtnci5beludirz2a","creator":\#(profile(0)),"name":"n","purpose":"app.bsky.graph.defs#modlist","indexedAt":"2025-01-01T00:00:00.000Z"}"#
        let item =
          #"{"uri":"at://\#(Accounts.did(0))/app.bsky.graph.listitem/3k2b","subject":\#(profile(2))}"#
        return TransportResponse(#"{"list":\#(list),"items":[\#(item)]}"#)
      default: return TransportResponse(status: 501)
      }
    }
    let client = try client(transport)
    var found: [DID] = []
    for try await view in Listings(client).pages(of: .follows(of: .handle(Accounts.handle(0)))) {
      found.append(view.account)
    }
    let list = try ATURI(parsing: "at://\(Accounts.did(0))/app.bsky.graph.list/3k2a")
    for try await view in Listings(client).pages(of: .members(of: list)) { found.append(view.account) }
    #expect(found == Accounts.dids(1..<3))
    #expect(RequestQuery(transport.requests[1])["list"] == ["\(list)"])
  }

  @Test func reportsAMissingActor() async throws {
    let (_, fault) = try await list(
      ScriptedTransport(responses: [.xrpcError(400, "InvalidRequest", "Actor not found")]))
    #expect(fault?.code == .actorNotFound)
    #expect(fault?.subject == "\(Accounts.did(0))")
  }

  /// A proxy's page proves nothing about an account.
  @Test(arguments: [404, 403]) func otherRefusalsAreNotAMissingActor(status: Int) async throws {
    let (_, fault) = try await list(
      ScriptedTransport(responses: [TransportResponse(status: status, "404 page not found")]))
    #expect(fault?.code == .refused)
  }

  /// Views contain text and records of other people, which a listing does not need and does not decode.
  @Test func malformedProfileTextDoesNotBreakAListing() async throws {
    let record = #"{"$type":1,"ref":{"$link":".","also":null},"$bytes":[{"$type":"blob"}]}"#
    let hostile = #"{"did":"\#(Accounts.did(1))","handle":"not a handle","status":{"record":\#(record)}}"#
    let (found, fault) = try await list(
      ScriptedTransport(responses: [
        TransportResponse(#"{"subject":{},"followers":[\#(hostile),{"did":"\#(Accounts.did(2))"}]}"#)
      ]))
    #expect(fault == nil)
    #expect(found == Accounts.dids(1..<3))
  }
}
