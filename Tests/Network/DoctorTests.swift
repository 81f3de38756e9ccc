// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithCurlTransport
import TestSupport
import Testing

/// `kith doctor` with a PDS and an AppView that we did not write.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct DoctorTests {
  private struct Finding: Decodable {
    let kind: String, did: String?, list: String?
  }

  private func findings(_ person: Person) async throws -> [Finding] {
    let run = try await person.kith(
      "doctor --only duplicate self blocked blocker ghost dead-list-block orphan-members clock pds handle")
    #expect(run.status == 0, "\(run.talk)")
    return try run.rows(Finding.self)
  }

  @Test func findsAndFixesLeftoversOfAnotherApp() async throws {
    let network = try await LiveNetwork.populated().network
    let judy = try await Person.signedIn(as: "judy", to: network)
    defer { judy.end() }
    #expect(try await findings(judy).isEmpty)

    let (me, grace) = (try network.did("judy"), try network.did("grace"))
    let session = try await PDSSession(
      try network.account("judy"), at: network.pds.url, transport: CurlTransport())
    let nowhere = "at://\(me)/app.bsky.graph.list/3khuwc44c9999"
    let messes = [
      ("follow", ["subject": "\(grace)"]), ("follow", ["subject": "\(grace)"]),
      ("follow", ["subject": "\(me)"]), ("listblock", ["subject": nowhere]),
      ("listitem", ["subject": "\(grace)", "list": nowhere]),
    ]
    for (collection, fields) in messes {
      _ = try await session.createRecord(in: "app.bsky.graph.\(collection)", fields)
    }
    _ = try await judy.edges(from: me, to: grace) { $0.following != nil }

    let found = try await findings(judy)
    #expect(found.map(\.kind).sorted() == ["dead-list-block", "duplicate", "orphan-members", "self"])
    #expect(found.first { $0.kind == "duplicate" }?.did == "\(grace)")
    let mended = try await judy.kith("doctor --fix duplicate self dead-list-block orphan-members --yes")
    #expect(mended.status == 0, "\(mended.talk)")
    #expect(try mended.changes().allSatisfy { $0.state == "done" })
    #expect(try await findings(judy).isEmpty)
    #expect(try await judy.edges(from: me, to: grace) { $0.following != nil }.following != nil)
  }
}
