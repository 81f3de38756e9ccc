// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Which accepted requests are found to be withdrawn.
@Suite struct WithdrawnRequestTests {
  private let alice = Accounts.did(1)
  private let bob = Accounts.did(2)

  /// A server may say of a repository that it does not show that there is no such record.
  @Test(arguments: [
    (#""active":true"#, true), (#""active":false,"status":"deactivated""#, false),
    (#""active":false"#, false),
  ])
  func onlyAnActiveRepositoryProvesThatARequestIsGone(status: String, isGone: Bool) async throws {
    let moment = try Datetime(parsing: "2026-11-01T00:00:00Z")
    let key = try RecordKey(parsing: bob.description)
    let record = FriendRequestDraft().record(to: bob, at: moment)
    let request = try #require(FriendRequest(record, of: alice, at: key)).version
    let answer = FriendAnswer.record(accepting: request, at: moment)
    let place = try #require(FriendAnswer.key(accepting: request))
    let row: DataValue = [
      "uri": .string("at://\(bob)/\(FriendAnswer.collection)/\(place)"),
      "cid": .string("\(request.cid)"), "value": answer,
    ]
    let page = String(decoding: try JSONCoding.encode(DataValue.array([row])), as: UTF8.self)
    let transport = ScriptedTransport { [alice] call in
      let query = RequestQuery(call)
      switch query.method {
      case "com.atproto.repo.listRecords":
        let isOfAnswers = query["collection"] == ["\(FriendAnswer.collection)"]
        return TransportResponse(#"{"records":\#(isOfAnswers ? page : "[]")}"#)
      case "com.atproto.repo.getRecord":
        return .xrpcError(400, "RecordNotFound", "Could not locate record")
      default: return TransportResponse(#"{"did":"\#(alice)",\#(status)}"#)
      }
    }
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://pds.test"), transport: transport,
      configuration: .init(retry: .never), time: ManualClock(.skipping).timeSource())
    let reader = Friendships(Listings(client, repository: { _ in client })).reader(of: bob)
    let gone: [DID: Set<RecordVersion>] = isGone ? [alice: [request]] : [:]
    #expect(try await reader.withdrawn() == gone)
    #expect(transport.calls(of: "com.atproto.sync.getRepoStatus") == 1)
  }
}
