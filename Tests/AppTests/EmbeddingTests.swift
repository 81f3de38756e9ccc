// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithCurlTransport
import KithLexicons
import KithRelationships
import KithStore
import KithURLSessionTransport
import KithWriting
import Testing

/// What the articles tell apps to do, against a sandbox. This target sees only what is public.
@Suite struct EmbeddingTests {
  enum Transport: CaseIterable {
    case curl, urlSession

    func make() -> any HTTPTransport {
      switch self {
      case .curl: CurlTransport()
      case .urlSession: URLSessionTransport()
      }
    }
  }

  @Test(arguments: Transport.allCases)
  func anAppAsksSignsInAndMakesChanges(over kind: Transport) async throws {
    let sandbox = try LocalSandbox()
    defer { sandbox.stop() }
    let network = sandbox.network(over: kind.make())
    let (appview, identities) = (network.appview, network.identities)
    let alice = try await identities.identity(of: try ATIdentifier(parsing: "alice.test")).did
    let bob = try await identities.identity(of: try ATIdentifier(parsing: "bob.test")).did

    let service = FollowRelationshipService(client: appview)
    #expect(try await service.isFollowing(actor: alice, target: bob))
    var listing = Listings(appview).accounts(.followers(of: .did(alice))).makeAsyncIterator()
    var followers: [DID] = []
    while let follower = try await listing.next() { followers.append(follower.account) }
    #expect(!followers.isEmpty && listing.coverage.listed == followers.count)
    var asked = followers[...]
    for try await answer in service.relationships(of: alice, with: followers) {
      #expect(answer.target == asked.popFirst() && answer.info?.isFollowedBy == true)
    }
    #expect(asked.isEmpty)

    let sessions = network.sessions(in: SessionFolder(path: sandbox.folder + "/sessions"))
    let password = try #require(Password("pw-alice"))
    try await sessions.signIn(
      try ATIdentifier(parsing: "alice.test"), password: password, at: sandbox.service)
    let signedIn = sessions.client(of: try await sessions.session(of: nil))

    let journal = try Journal.file(in: sandbox.folder + "/journal")
    let profiles = ProfileService(account: alice, client: signedIn, overlay: service.overlay)
    let writer = RelationshipWriter(
      account: alice, pds: signedIn, relationships: service, profiles: profiles, journal: journal)
    try await writer.toggleFollow(bob)
    #expect(try await !service.isFollowing(actor: alice, target: bob))

    let engine = ChangeEngine(
      account: alice, pds: signedIn, journal: journal,
      observers: ChangeObservers(account: alice, relationships: service, profiles: profiles))
    let requests = followers.prefix(5).map { ChangePlan.Request("\($0)", .block($0)) }
    let submission = try await engine.submit(requests + [.init("me", .block(alice))], as: "block")
    #expect(submission.plan.changes.compactMap(\.refusal).count == 1)
    let job = try #require(submission.job)
    #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
    let manager = JobManager(journal: journal)
    #expect(try await manager.items(of: job.id).allSatisfy { $0.state == .done })
    #expect(try await service.getRelationship(actor: alice, target: followers[0]).isBlocking)
    let undo = try await engine.undo(job.id)
    #expect(try await engine.run(undo.job.id) == .done)
    #expect(try await !service.getRelationship(actor: alice, target: followers[0]).isBlocking)
  }
}
