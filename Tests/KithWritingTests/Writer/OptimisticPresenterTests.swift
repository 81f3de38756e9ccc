// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What is shown of intents that are rolled back, and of mutes.
@Suite(.timeLimit(.minutes(1))) struct OptimisticPresenterTests {
  private let other = Accounts.did(1)
  private let follow = "app.bsky.graph.follow"
  private let failure = ChangeFailure.failed(RepositoryError(.refused, detail: "why"))

  private func info(_ scene: WriterScene, muted: Bool) -> RelationshipInfo {
    RelationshipInfo(
      actor: scene.me, target: other, muted: muted, checkedAt: Datetime(at: 0),
      source: .appview)
  }

  /// A block that waits for its server, shown in the service.
  private func intendBlock(in scene: WriterScene) async throws {
    _ = try await scene.relationship(with: other)
    let block = ATURI(authority: .did(scene.me), collection: .block, recordKey: try RecordKey(parsing: "3b"))
    scene.service.overlay.setPending(
      .init(following: .absent, blocking: .present(block)), .edges, of: scene.me, about: other)
    scene.service.overlay.applyLocalChange(scene.me, other, rollingBack: nil, reason: nil)
    let shown = try await scene.relationship(with: other)
    #expect(shown.following == nil && shown.blocking == block)
  }

  @Test func rollsBackWhatIsRefused() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    try await intendBlock(in: scene)
    let refused = scene.service.overlay.refuse(.edges, of: scene.me, about: other)
    scene.service.overlay.applyLocalChange(scene.me, other, rollingBack: refused, reason: failure)
    let shown = try await scene.relationship(with: other)
    #expect(shown.following?.recordKey?.description == "3old")
    #expect(shown.blocking == nil)
  }

  /// The refusal counts at once, and is shown a little later: what is learned in between is newer.
  @Test func aRefusalKeepsWhatWasLearnedSince() async throws {
    let scene = try WriterScene(shown: [other: "\(follow)/3old"])
    try await intendBlock(in: scene)
    let refused = scene.service.overlay.refuse(.edges, of: scene.me, about: other)
    scene.shown.withLock { $0[other] = "\(follow)/3new" }
    await scene.service.clearCache()
    #expect(try await scene.relationship(with: other).following?.recordKey?.description == "3new")
    scene.service.overlay.applyLocalChange(scene.me, other, rollingBack: refused, reason: failure)
    #expect(try await scene.relationship(with: other).following?.recordKey?.description == "3new")
  }

  // MARK: Mutes

  /// Q9: a later scope replaces an earlier one, and the AppView only shows full mutes.
  @Test func aMuteOfRepostsReplacesAFullMute() async throws {
    let scene = try WriterScene()
    let overlay = scene.service.overlay
    try await scene.writer.mute(other)
    #expect(overlay.overlaid(info(scene, muted: false)).muted == true)
    try await scene.writer.mute(other, scope: .reposts)
    #expect(overlay.overlaid(info(scene, muted: true)).muted == false)
    #expect(overlay.reconcile(info(scene, muted: false)).muted == false)
    #expect(overlay.isEmpty)
  }

  /// Q9: the AppView continues to show it, whatever happens to the account's own mute.
  @Test func aMuteByAListStaysShown() async throws {
    let turnstile = Turnstile(isOpen: false)
    let scene = try WriterScene(turnstile: turnstile, muted: true)
    let overlay = scene.service.overlay
    scene.pds.change {
      $0.profiles[other] = """
        {"did":"\(other)","viewer":{"muted":true,
        "mutedByList":{"uri":"at://\(Accounts.did(9))/app.bsky.graph.list/3l"}}}
        """
    }
    #expect(try await scene.relationship(with: other).muted == true)
    var changes = scene.service.changes.makeAsyncIterator()
    let unmuting = Task { try await scene.writer.unmute(other) }
    #expect(await changes.next(isolation: nil)?.relationship?.muted == false)
    turnstile.open()
    #expect(try await unmuting.value.ending == .done)
    #expect(overlay.isEmpty)
    // What was shown before the list was known is rolled back.
    #expect(await changes.next(isolation: nil)?.relationship?.muted == true)
    #expect(try await scene.relationship(with: other).muted == true)
  }
}

extension RelationshipChange {
  /// The new relationship.
  fileprivate var relationship: RelationshipInfo? {
    if case .changed(_, let now) = self { now } else { nil }
  }
}
