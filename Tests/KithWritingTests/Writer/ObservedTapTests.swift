// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithWriting

/// A follow button over an observation and a writer, as an app has them.
@Suite(.timeLimit(.minutes(1))) struct ObservedTapTests {
  private let me = Accounts.did(0)
  private let alice = Accounts.did(1)

  /// Shows what arrives until the button has a state.
  private func show(
    _ rows: inout RelationshipObservation.AsyncIterator, in button: inout FollowButton,
    until isDue: (FollowButton) -> Bool
  ) async {
    while !isDue(button), let shown = await rows.next() { button.show(shown) }
  }

  @Test func aTapIsPendingThenAcceptedAndALaggingAppViewDoesNotTakeItBack() async throws {
    let commits = Turnstile(isOpen: false)
    let scene = try WriterScene(commits: commits)
    var button = FollowButton()
    var rows = scene.service.observe(actor: me, target: alice).makeAsyncIterator()
    await show(&rows, in: &button) { $0.state == .follow }
    let action = button.tap()
    let change = try #require(action.flatMap { ChangeIntent($0, about: alice) })
    let tap = Task { [writer = scene.writer] in try await writer.make(change) }
    await commits.untilArrived(1)
    await show(&rows, in: &button) { $0.relationship.state == .pending }
    #expect(button.state == .busy)
    #expect(button.upcoming == .following)
    commits.open()
    _ = try await tap.value
    button.finish()
    await show(&rows, in: &button) { $0.state == .following }
    #expect(button.relationship.state == .accepted)
    // The AppView has not indexed it.
    try await scene.service.refresh(actor: me, target: alice)
    scene.service.markStale()
    try await scene.service.refresh(actor: me, target: alice)
    #expect(button.state == .following)
    #expect(scene.service.remembered(actor: me, target: alice)?.isFollowing == true)
  }

  @Test func aTapThatIsRefusedShowsTheFormerStateWithItsReason() async throws {
    let scene = try WriterScene(configuration: .init(limit: WriteLimit(perHour: 1, perDay: 1)))
    var button = FollowButton()
    var rows = scene.service.observe(actor: me, target: alice).makeAsyncIterator()
    await show(&rows, in: &button) { $0.state == .follow }
    let action = button.tap()
    let change = try #require(action.flatMap { ChangeIntent($0, about: alice) })
    let failure = await #expect(throws: ChangeFailure.self) { try await scene.writer.make(change) }
    button.finish(failure)
    await show(&rows, in: &button) { if case .rolledBack = $0.relationship.state { true } else { false } }
    #expect(button.state == .follow)
    #expect(failure.map { button.problem == .change($0) } == true)
  }

  @Test func whatAButtonDoesIsAnIntent() throws {
    let list = try ATURI(parsing: "at://\(me)/app.bsky.graph.list/3l6oveex3ii2l")
    #expect(ChangeIntent(.follow, about: alice) == .follow(alice))
    #expect(ChangeIntent(.unfollow, about: alice) == .unfollow(alice))
    #expect(ChangeIntent(.unblock, about: alice) == .unblock(alice))
    #expect(ChangeIntent(.request, about: alice) == .friends(.request(alice, FriendRequestDraft(.follow))))
    #expect(ChangeIntent(.cancelRequest, about: alice) == .friends(.cancel(alice)))
    #expect(ChangeIntent(.openList(list), about: alice) == nil)
    #expect(ChangeIntent(.checkAgain, about: alice) == nil)
  }
}
