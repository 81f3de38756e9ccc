// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct OwnListsTests {
  private let account = Accounts.did(0)

  private func list(_ number: Int, _ name: String?) throws -> OwnList {
    let value: DataValue = name.map { ["name": .string($0)] } ?? [:]
    return OwnList(uri: OwnList.uri(try RecordKey(parsing: "k\(number)"), of: account), value: value)
  }

  @Test func findsListsByTheirNameInTheOrderOfTheServer() throws {
    var lists = OwnLists()
    for (number, name) in [(1, "a"), (2, "b"), (3, "a"), (4, nil)] { lists.insert(try list(number, name)) }
    #expect(try lists.named("a") == [list(1, "a"), list(3, "a")])
    #expect(lists.named("").isEmpty && lists.named("c").isEmpty)
    // A list that is replaced keeps its place.
    lists.insert(try list(2, "a"))
    #expect(try lists.named("a") == [list(1, "a"), list(2, "a"), list(3, "a")] && lists.named("b").isEmpty)
    lists.insert(try list(1, nil))
    lists.insert(try list(4, "b"))
    #expect(try lists.named("a") == [list(2, "a"), list(3, "a")] && lists.named("b") == [list(4, "b")])
    #expect(lists.all.count == 4)
  }

  /// A picture that cannot be read does not hide the list. It cannot be written again as it is.
  @Test(arguments: [#"{"$type":"blob","ref":{"$link":"bad"},"mimeType":"image/png","size":5}"#, "1.5"])
  func aListIsAListWhateverItsPictureIs(avatar: String) async throws {
    let transport = ScriptedTransport { [account] _ in
      let value =
        #"{"$type":"app.bsky.graph.list","name":"Birds","purpose":"app.bsky.graph.defs#curatelist","avatar":\#(avatar)}"#
      return TransportResponse(
        #"{"records":[{"uri":"at://\#(account)/app.bsky.graph.list/k1","cid":"x","value":\#(value)}]}"#)
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      time: ManualClock(.skipping).timeSource())
    let lists = try await OwnLists(of: account, client: client)
    #expect(lists.unreadable.count == 0 && lists.named("Birds").count == 1)
    #expect(lists.all.first?.purpose == .curate && lists.all.first?.value == nil)
  }

  @Test func findsEachOfThousandsOfListsAtOnce() throws {
    let growth = try workGrowth(from: 2_000) { size in
      var lists = OwnLists()
      for number in 0..<size { lists.insert(try list(number, "list \(number)")) }
      for number in 0..<size { #expect(lists.named("list \(number)").count == 1) }
    }
    #expect(growth < 8)
  }
}
