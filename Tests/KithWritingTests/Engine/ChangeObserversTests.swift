// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// What services show that share an overlay, once a change was made.
@Suite struct ChangeObserversTests {
  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let overlay = OptimisticOverlay(time: ManualClock().timeSource())
  private let source = ScriptedSource { actor, targets in
    ScriptedSource.follows(actor, targets) { _ in false }
  }

  private func service() throws -> FollowRelationshipService {
    let time = ManualClock().timeSource()
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: ScriptedTransport([]), time: time)
    return FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client),
      configuration: .init(gatherWindow: .zero),
      overlay: overlay, time: time)
  }

  @Test func eachServiceShowsAChangeInWhatItHasCached() async throws {
    let services = [try service(), try service()]
    for service in services {
      #expect(try await !service.isFollowing(actor: me, target: other))
    }
    let write = RecordWrite(
      collection: .follow, rkey: try RecordKey(parsing: "3new"),
      action: .create(["$type": "app.bsky.graph.follow", "subject": .string("\(other)")]))
    ChangeObservers(account: me, relationships: services[0], profiles: nil)
      .didApply([ChangeStep(subject: .account(other), action: .write([write]))])
    for service in services {
      #expect(try await service.isFollowing(actor: me, target: other))
      #expect(try await service.getRelationship(actor: other, target: me).isFollowedBy)
    }
    #expect(source.asked.count == 2)
  }

  @Test func aChangeOfAListIsAskedAboutAgain() async throws {
    let service = try service()
    let list = try ATURI(parsing: "at://\(me)/app.bsky.graph.list/3list")
    _ = try await service.getRelationship(actor: me, target: other)
    ChangeObservers(account: me, overlay: overlay)
      .didApply([ChangeStep(subject: .list(list), action: .call(.muteList(list), former: nil))])
    _ = try await service.getRelationship(actor: me, target: other)
    #expect(source.asked.count == 2)
    // Its name says nothing about its members.
    let rename = RecordWrite(
      collection: .list, rkey: try RecordKey(parsing: "3list"), action: .update(["name": "x"], former: nil))
    ChangeObservers(account: me, overlay: overlay)
      .didApply([ChangeStep(subject: .list(list), action: .write([rename]))])
    _ = try await service.getRelationship(actor: me, target: other)
    #expect(source.asked.count == 2)
  }
}
