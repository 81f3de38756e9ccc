// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The accounts that block an account, from an index.
@Suite struct BlockersListingTests {
  private let actor = Accounts.did(0)
  private let list = "at://\(Accounts.did(9))/app.bsky.graph.list/3jui7kd54zh2y"

  private func links(from numbers: [Int], in collection: String) -> TransportResponse {
    let rows = numbers.map {
      #"{"did":"\#(Accounts.did($0))","collection":"\#(collection)","rkey":"3jui7kd54zh2z"}"#
    }
    return TransportResponse(#"{"records":[\#(rows.joined(separator: ","))],"cursor":null}"#)
  }

  /// An index and an AppView that confirms every block.
  private func listings(direct: [Int], byList: [Int]) throws -> Listings {
    let transport = ScriptedTransport { [self] request in
      let query = RequestQuery(request)
      switch (query.method, query["source"].first) {
      case ("blue.microcosm.links.getBacklinks", "app.bsky.graph.block:subject"):
        return links(from: direct, in: "app.bsky.graph.block")
      case ("blue.microcosm.links.getBacklinks", "app.bsky.graph.listblock:subject"):
        return links(from: byList, in: "app.bsky.graph.listblock")
      case ("blue.microcosm.links.getManyToManyCounts", _):
        return TransportResponse(
          #"{"counts_by_other_subject":[{"subject":"\#(list)","total":1,"distinct":1}],"cursor":null}"#)
      case ("app.bsky.graph.getRelationships", _):
        let rows = query["others"].map {
          #"{"$type":"app.bsky.graph.defs#relationship","did":"\#($0)","blockedByList":"\#(list)"}"#
        }
        return TransportResponse(#"{"actor":"\#(actor)","relationships":[\#(rows.joined(separator: ","))]}"#)
      default: return .xrpcError(501, "MethodNotImplemented", "Method Not Implemented")
      }
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      configuration: XRPCClient.Configuration(retry: .never), time: ManualClock(.skipping).timeSource())
    return Listings(client, index: BacklinkIndex(client))
  }

  @Test func anAccountThatBlocksDirectlyAndByAListIsListedOnce() async throws {
    var iterator = try listings(direct: [1, 2], byList: [3, 1]).accounts(.blockers(of: .did(actor)))
      .makeAsyncIterator()
    var views: [AccountView] = []
    while let view = try await iterator.next() { views.append(view) }
    #expect(views.map(\.account) == Accounts.dids(1..<4))
    #expect(views.map(\.record?.collection) == [.block, .block, .listblock])
    #expect(iterator.coverage.listed == 3 && iterator.coverage.fault == nil)
  }
}
