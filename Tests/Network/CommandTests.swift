// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import KithCurlTransport
import TestSupport
import Testing

/// `kith` as a process against the network.
@Suite(
  .enabled(if: LiveNetwork.isUp, "no network is up; make test-network starts one"), .timeLimit(.minutes(2)))
struct CommandTests {
  /// The fields of a row of `kith check` that these tests read.
  private struct Row: Decodable {
    let target: String?, input: String, state: String, following: String?, followedBy: String?
    let blocking: String?, blockedBy: String?, blockingByList: String?, mutual: Bool?, blocked: Bool?,
      error: String?
  }

  private func overTLS(_ network: LiveNetwork) -> [String] {
    [
      "--appview", "\(network.tls.appview.url)", "--plc", "\(network.tls.plc.url)", "--ca-file",
      network.tls.ca,
    ]
  }

  @Test func checkPrintsOneRowForEachTargetInTheOrderAsked() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let names = [
      "heidi.test", "erin.test", "@bob.test", "https://bsky.app/profile/carol.test", "nobody.test",
    ]
    let run = try await KithRun(["check", "alice.test"] + names + ["--format", "ndjson"] + overTLS(network))
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.input) == names)
    #expect(rows.map(\.state) == ["known", "known", "known", "known", "notFound"])
    try #require(rows.count == names.count)
    #expect(rows[0].target == (try network.did("heidi").description))
    #expect(rows[0].following == nil && rows[0].followedBy == nil && rows[0].blocked == false)
    #expect(rows[1].blocking == (try edges.uri(.block, from: "alice", to: "erin").description))
    #expect(rows[2].following == (try edges.uri(.follow, from: "alice", to: "bob").description))
    #expect(rows[2].mutual == true)
    #expect(rows[3].mutual == false)
    #expect(rows[4].target == nil && rows[4].following == nil && rows[4].error != nil)
    #expect(run.status == 0)
    let summary = try #require(try run.message("checkSummary"), "\(run.talk)")
    let counts = ["rows", "following", "followedBy", "mutual", "blocked", "notFound"]
    #expect(counts.map(summary.number) == [5, 2, 1, 1, 1, 1])
  }

  @Test(arguments: [
    ("bob.test", "mutual", 0), ("carol.test", "mutual", 1), ("carol.test", "following", 0),
    ("dave.test", "followed-by", 0), ("erin.test", "blocking", 0), ("frank.test", "blocked-by", 0),
    ("frank.test", "blocking", 1), ("heidi.test", "none", 0), ("bob.test", "none", 1),
  ])
  func predicateAnswersByExitCode(target: String, relation: String, status: Int32) async throws {
    let network = try await LiveNetwork.populated().network
    let run = try await KithRun(["check", "alice.test", target, "--is", relation, "-q"] + overTLS(network))
    #expect(run.status == status)
    #expect(run.output == "")
    #expect(run.talk == "")
  }

  @Test func checkReadsTargetsFromStdin() async throws {
    let network = try await LiveNetwork.populated().network
    let names = (0..<600).map { "synth\($0).test" }
    let contact = "mailto:\(UUID())@test"
    let run = try await KithRun(
      ["check", "alice.test", "-", "--json"] + overTLS(network) + ["--contact", contact],
      input: names.joined(separator: "\n"))
    let rows = try JSONDecoder().decode([Row].self, from: Data(run.output.utf8))
    #expect(rows.map(\.input) == names)
    #expect(rows.allSatisfy { $0.followedBy != nil })
    #expect(rows.count { $0.mutual == true } == 300)
    #expect(run.status == 0)
    // Alice herself, 600 handles in batches of 25 and 600 relationships in batches of 30. Where this process is delayed,
    // as on a loaded machine, relationships are asked before more handles are resolved: then in batches of 25.
    let log = try AccessLog(of: network, userAgent: "kith/0.2.0 (+\(contact))", awaiting: 45)
    #expect((45...49).contains(log.entries.count))
    #expect(Set(log.entries.map(\.connection)).count == 1)
  }

  @Test func checkStreamsFollowersOverShortAndEmptyPages() async throws {
    let network = try await LiveNetwork.populated().network
    let run = try await KithRun([
      "check", "alice.test", "--followers-of", "alice.test", "--format", "ndjson",
      "--appview", "\(network.appviewShortPages.url)",
    ])
    let rows = try run.rows(Row.self)
    #expect(rows.count > 500)
    #expect(Set(rows.map(\.target)).count == rows.count)
    #expect(rows.allSatisfy { $0.followedBy != nil })
    #expect(run.status == 0)
  }

  @Test func checkAcceptsTheMembersOfAList() async throws {
    let (network, edges) = try await LiveNetwork.populated()
    let run = try await KithRun(
      ["check", "judy.test", "--list", "\(edges.list)", "--format", "ndjson"] + overTLS(network))
    let rows = try run.rows(Row.self)
    #expect(rows.map(\.target) == [try network.did("ivan").description])
    #expect(rows.first?.blockingByList == edges.list.description)
    #expect(run.status == 0)
  }

  @Test func resolveShowsWhatTheNetworkRegistered() async throws {
    struct Row: Decodable { let did: String, handle: String, verified: Bool, pds: String, signingKey: String }
    let network = try await LiveNetwork.populated().network
    let alice = try network.account("alice")
    for name in [alice.handle.description, alice.did.description] {
      let run = try await KithRun(
        ["resolve", name, "--format", "ndjson"] + overTLS(network),
        environment: ["KITH_RESOLVER": "\(network.tls.pds.url)"])
      let row = try #require(try run.rows(Row.self).first)
      #expect(row.did == alice.did.description)
      #expect(row.handle == "alice.test")
      #expect(row.verified)
      #expect(row.pds == "\(network.tls.pds.url)")
      #expect(row.signingKey == alice.signingKey)
      #expect(run.status == 0)
    }
  }

  @Test func certificateOfUnknownAuthorityIsRefused() async throws {
    let network = try await LiveNetwork.populated().network
    let arguments = ["check", "alice.test", "bob.test", "--appview", "\(network.tls.appview.url)"]
    let refused = try await KithRun(arguments)
    #expect(refused.status == 69)
    #expect(refused.output == "")
    #expect(try refused.messages.first?.text("cause") == "transport.tlsFailure")
    let trusted = try await KithRun(arguments, environment: ["SSL_CERT_FILE": network.tls.ca])
    #expect(trusted.status == 0)
  }

  @Test func unknownActorExitsWith67() async throws {
    let network = try await LiveNetwork.populated().network
    let run = try await KithRun(["check", "nobody.test", "bob.test"] + overTLS(network))
    #expect(run.status == 67)
    #expect(run.output == "")
    #expect(try run.messages.first?.text("subject") == "nobody.test")
  }

  @Test func xrpcPrintsTheServersOwnAnswer() async throws {
    struct Answer: Decodable { let did: String }
    let network = try await LiveNetwork.populated().network
    let run = try await KithRun(
      [
        "xrpc", "query", "com.atproto.identity.resolveHandle", "handle=bob.test",
        "--service", "\(network.tls.pds.url)", "--ca-file", network.tls.ca,
      ])
    let answer = try JSONDecoder().decode(Answer.self, from: Data(run.output.utf8))
    #expect(answer.did == (try network.did("bob").description))
    #expect(run.status == 0)
  }

  @Test func xrpcStreamsARepositoryAsItIs() async throws {
    let network = try await LiveNetwork.populated().network
    let bob = try network.did("bob").description
    let run = try await KithRun(
      [
        "xrpc", "query", "com.atproto.sync.getRepo", "did=\(bob)", "--service", "\(network.tls.pds.url)",
        "--ca-file", network.tls.ca,
      ])
    let head = HTTPRequest(
      method: .get, scheme: "http", authority: network.pds.url.authority,
      path: "/xrpc/com.atproto.sync.getRepo?did=\(bob)")
    let repository = try await CurlTransport().send(TransportRequest(head: head))
    #expect(repository.head.headerFields[.contentType] == "application/vnd.ipld.car")
    #expect(repository.body.count > 200)
    #expect(run.output == String(decoding: repository.body, as: UTF8.self))
    #expect(run.status == 0)
  }
}
