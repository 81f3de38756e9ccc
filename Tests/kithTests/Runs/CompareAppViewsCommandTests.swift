// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// `--compare-appview`: where two AppViews disagree.
@Suite struct CompareAppViewsCommandTests {
  /// Changes what AppViews say about relationships on the way, as an outdated or careless AppView would.
  private final class DisagreeingNetwork: HTTPTransport {
    typealias Edit = @Sendable (_ row: inout [String: DataValue]) -> Void

    static let other = "https://other.test"

    let base: FaultyNetwork
    let capabilities: TransportCapabilities
    /// By host.
    let edits: [String: Edit]
    /// A host that does not answer.
    let silent: String?

    init(_ base: FaultyNetwork, silent: String? = nil, edits: [String: Edit] = [:]) {
      (self.base, capabilities, self.edits, self.silent) = (base, base.capabilities, edits, silent)
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
      let host = "https://\(request.head.authority ?? "")"
      if host == silent { throw TransportError(.cannotConnect, host: host) }
      let answer = try await base.send(request)
      guard let edit = edits[host], request.head.path?.contains("getRelationships") == true else {
        return answer
      }
      guard case .object(var fields) = try JSONCoding.decode(DataValue.self, from: answer.body) else {
        return answer
      }
      fields["relationships"] = .array(
        (fields["relationships"]?.array ?? []).map { row in
          guard case .object(var fields) = row else { return row }
          edit(&fields)
          return .object(fields)
        })
      return TransportResponse(head: answer.head, body: try JSONCoding.encode(DataValue.object(fields)))
    }
  }

  private let user: InProcessUser

  init() throws { user = try InProcessUser(accounts: 60) }

  /// The accounts that one of the cast follows.
  private func follows(of name: String) throws -> Set<DID> {
    let records = user.network.live.records(
      of: try user.did(name), in: try NSID(parsing: "app.bsky.graph.follow"))
    return Set(records.compactMap { $0.value["subject"]?.string.flatMap { DID($0) } })
  }

  private func compare(
    _ network: DisagreeingNetwork, _ words: String...
  ) async throws -> InProcessUser.Ending {
    try await user.kith(words + ["--compare-appview", DisagreeingNetwork.other], over: network)
  }

  @Test func theRepositorySaysWhichAppViewIsRight() async throws {
    let (alice, bob) = (try user.did("alice"), try user.did("bob"))
    let followed = try #require(try follows(of: "alice").sorted { "\($0)" < "\($1)" }.first)
    let stranger = try #require(
      try ["niaj", "judy", "ivan", "grace"].lazy.map { name in (name, try user.did(name)) }
        .first { name, _ in !(try follows(of: name).contains(alice)) }?.1)
    #expect(try follows(of: "bob").contains(alice))
    let network = DisagreeingNetwork(
      user.network,
      edits: [
        FaultyNetwork.appview: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } },
        DisagreeingNetwork.other: { row in
          if row["did"]?.string == "\(followed)" { row["following"] = nil }
          if row["did"]?.string == "\(stranger)" {
            row["followedBy"] = .string("at://\(stranger)/app.bsky.graph.follow/3k2yihcrp6f2c")
          }
        },
      ])
    let ending = try await compare(
      network, "check", "\(alice)", "\(followed)", "\(stranger)", "bob.test", "\(alice)")
    #expect(ending.status == .success, "\(ending.talk)")
    let rows = ending.rows.map { row in ["target", "relation", "shownBy"].map { row.text($0) ?? "" } }
    #expect(
      Set(rows) == [
        ["\(followed)", "following", FaultyNetwork.appview],
        ["\(stranger)", "followedBy", DisagreeingNetwork.other],
        ["\(bob)", "followedBy", DisagreeingNetwork.other],
      ])
    #expect(ending.rows.first { $0.text("target") == "\(followed)" }?.text("repository") == "true")
    #expect(ending.rows.first { $0.text("target") == "\(stranger)" }?.text("repository") == "false")
    #expect(ending.rows.first { $0.text("target") == "\(bob)" }?.text("repository") == "true")
    #expect(ending.talk.contains(#""firstIsRight":2"#) && ending.talk.contains(#""otherIsRight":1"#))
  }

  /// An AppView that has not seen that a follow was made anew still names the former record.
  @Test func anEdgeThatWasMadeAnewIsFound() async throws {
    let (alice, bob) = (try user.did("alice"), try user.did("bob"))
    let network = DisagreeingNetwork(
      user.network,
      edits: [
        FaultyNetwork.appview: { row in
          if row["did"]?.string == "\(bob)" {
            row["followedBy"] = .string("at://\(bob)/app.bsky.graph.follow/3k2yihcrp6f2c")
          }
        },
        DisagreeingNetwork.other: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } },
      ])
    let ending = try await compare(network, "check", "\(alice)", "\(bob)")
    #expect(ending.rows.map { $0.text("repository") } == ["true"])
  }

  @Test func theDoctorComparesOnesOwnGraph() async throws {
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let network = DisagreeingNetwork(
      user.network, edits: [DisagreeingNetwork.other: { row in row["following"] = nil }])
    let ending = try await compare(network, "doctor")
    #expect(ending.status == .success, "\(ending.talk)")
    let shown = Set(ending.rows.compactMap { $0.text("target") })
    let own = Set(try follows(of: "alice").map { "\($0)" })
    #expect(!shown.isEmpty && shown.isSubset(of: own))
    #expect(ending.rows.allSatisfy { $0.text("repository") == "true" && $0.text("relation") == "following" })
    #expect(try await compare(DisagreeingNetwork(user.network), "doctor").rows.isEmpty)
  }

  @Test func listsAreComparedButNotSettled() async throws {
    let list = "at://\(try user.did("grace"))/app.bsky.graph.list/3k2yihcrp6f2c"
    let network = DisagreeingNetwork(
      user.network, edits: [DisagreeingNetwork.other: { row in row["blockedByList"] = .string(list) }])
    let ending = try await compare(network, "check", "alice.test", "bob.test")
    #expect(ending.rows.map { $0.text("relation") } == ["blockedByList"])
    #expect(ending.rows.first?.text("repository") == nil && ending.talk.contains(#""unsettled":1"#))
  }

  @Test func anAppViewThatDoesNotAnswerIsNamed() async throws {
    let network = DisagreeingNetwork(user.network, silent: DisagreeingNetwork.other)
    let ending = try await compare(network, "check", "alice.test", "bob.test", "carol.test")
    #expect(ending.status == .unavailable && ending.rows.isEmpty)
    #expect(
      ending.talk.contains(#""code":"appViewFailed""#) && ending.talk.contains(DisagreeingNetwork.other))
  }

  @Test func aNameThatLeadsToNoAccountIsSaid() async throws {
    let network = DisagreeingNetwork(user.network)
    let ending = try await compare(network, "check", "alice.test", "bob.test", "nobody.test", "@@")
    #expect(
      [.notFound, .badInput].contains(ending.status) && ending.talk.contains("nobody.test"), "\(ending.talk)")
  }

  @Test func aListingIsComparedWhole() async throws {
    let network = DisagreeingNetwork(
      user.network, edits: [DisagreeingNetwork.other: { row in row["followedBy"] = nil }])
    let ending = try await compare(network, "check", "alice.test", "--followers-of", "alice.test")
    #expect(ending.status == .success && !ending.rows.isEmpty, "\(ending.talk)")
    #expect(ending.rows.allSatisfy { $0.text("relation") == "followedBy" && $0.text("repository") == "true" })
  }

  @Test func aRepositoryThatDoesNotAnswerSettlesNothing() async throws {
    let bob = try user.did("bob")
    let network = DisagreeingNetwork(
      user.network, silent: FaultyNetwork.pds,
      edits: [
        DisagreeingNetwork.other: { row in if row["did"]?.string == "\(bob)" { row["followedBy"] = nil } }
      ])
    let ending = try await compare(network, "check", "alice.test", "bob.test")
    #expect(ending.rows.count == 1 && ending.rows.first?.text("repository") == nil)
    #expect(ending.rows.first?.text("error") != nil)
  }

  @Test(arguments: [
    ["check", "alice.test", "bob.test", "--compare-appview", FaultyNetwork.appview],
    ["check", "alice.test", "bob.test", "--compare-appview", "not a url"],
    ["check", "me", "--people", "recommend", "--compare-appview", "not a url"],
    ["check", "alice.test", "bob.test", "--is", "mutual", "--compare-appview", "https://other.test"],
    ["doctor", "--only", "self", "--compare-appview", "https://other.test"],
  ])
  func whatCannotBeComparedIsAnError(words: [String]) async throws {
    #expect(try await user.kith(["login", "alice.test"]).status == .success)
    let requests = user.network.requests
    #expect(try await user.kith(words).status == .usage)
    #expect(user.network.requests == requests)
  }
}
