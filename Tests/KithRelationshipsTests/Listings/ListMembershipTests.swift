// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Who is on a list: unknown is not no.
@Suite struct ListMembershipTests {
  private static let owner = Accounts.did(9)

  private func list() throws -> ATURI {
    try ATURI(parsing: "at://\(Self.owner)/app.bsky.graph.list/3jzfcijpj2z2a")
  }

  private func client(_ answer: @escaping @Sendable (RequestQuery) -> TransportResponse) throws -> XRPCClient
  {
    XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"),
      transport: ScriptedTransport { answer(RequestQuery($0)) },
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
  }

  private static func item(_ number: Int, _ key: String) -> String {
    "at://\(owner)/app.bsky.graph.listitem/\(key)\(number)"
  }

  /// A list that counts two members, of which the AppView shows the first.
  private func appview(counting count: Int?) throws -> XRPCClient {
    try client { _ in
      let counted = count.map { #","listItemCount":\#($0)"# } ?? ""
      return TransportResponse(
        #"{"list":{"purpose":"app.bsky.graph.defs#curatelist"\#(counted)},"items":[{"uri":"\#(Self.item(1, "3jzfcijpj2z2"))","subject":{"did":"\#(Accounts.did(1))","handle":"a.test"}}]}"#
      )
    }
  }

  private func server(failing isFailing: Bool = false) throws -> XRPCClient {
    let list = try list()
    return try client { _ in
      if isFailing { return .xrpcError(500, "Oops", "no") }
      let records = (1...2).map { number in
        #"{"uri":"\#(Self.item(number, "3jzfcijpj2z2"))","cid":"bafyreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku","value":{"$type":"app.bsky.graph.listitem","list":"\#(list)","subject":"\#(Accounts.did(number))","createdAt":"2026-01-01T00:00:00Z"}}"#
      }
      return TransportResponse(#"{"records":[\#(records.joined(separator: ","))]}"#)
    }
  }

  @Test func aListThatIsShownWholeDecides() async throws {
    let members = try await ListMembership(of: try list(), by: Listings(try appview(counting: 1)))
    #expect(members.contains(Accounts.did(1)) == true && members.contains(Accounts.did(2)) == false)
  }

  @Test(arguments: [nil, 2, 50])
  func membersThatAreNotShownAreReadFromTheRepository(_ count: Int?) async throws {
    let server = try server()
    let listings = Listings(try appview(counting: count)) { _ in server }
    let members = try await ListMembership(of: try list(), by: listings)
    #expect(members.contains(Accounts.did(2)) == true && members.contains(Accounts.did(3)) == false)
  }

  @Test func withoutTheRepositoryTheOthersAreUnknown() async throws {
    let alone = try await ListMembership(of: try list(), by: Listings(try appview(counting: 2)))
    #expect(alone.contains(Accounts.did(1)) == true && alone.contains(Accounts.did(2)) == nil)
    let server = try server(failing: true)
    let failed = try await ListMembership(
      of: try list(), by: Listings(try appview(counting: 2)) { _ in server })
    #expect(failed.contains(Accounts.did(1)) == true && failed.contains(Accounts.did(3)) == nil)
    #expect(failed.fault != nil)
  }
}
