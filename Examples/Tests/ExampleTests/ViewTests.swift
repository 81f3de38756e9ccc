// SPDX-License-Identifier: Apache-2.0

import ExampleViews
import Foundation
import KithClient
import KithCore
import KithRelationships
import KithTestSupport
import KithWriting
import Synchronization
import Testing

/// The models of the views, over a network in the process.
@MainActor @Suite(.timeLimit(.minutes(1))) struct ViewTests {
  private let sandbox = SandboxTransport()
  private let secrets = Secrets()

  /// What a keychain holds.
  private final class Secrets: Sendable {
    private let all = Mutex<[String: Data]>([:])

    var names: Set<String> { all.withLock { Set($0.keys) } }
    var storage: SessionKeychain.Storage {
      .init { name in
        self.all.withLock { $0[name] }
      } write: { name, data in
        self.all.withLock { $0[name] = data }
      }
    }
  }

  private func account(over transport: (any HTTPTransport)? = nil) -> AccountModel {
    let network =
      transport.map { ServiceNetwork.sandbox(at: sandbox.service, transport: $0, time: sandbox.time) }
      ?? .sandbox(sandbox)
    return AccountModel(network, store: SessionKeychain(secrets.storage), journal: Journal())
  }

  private func signIn(_ model: AccountModel) async throws -> AccountModel.SignedIn {
    try await model.signIn("alice.test", password: sandbox.alice.password, at: sandbox.service)
    return try #require(model.signedIn)
  }

  /// Waits until what is observed has an effect.
  private func until(_ isDue: () -> Bool) async { while !isDue(), !Task.isCancelled { await Task.yield() } }

  @Test func aButtonFollowsAndUnfollows() async throws {
    let model = account()
    let signedIn = try await signIn(model)
    let bob = try #require(sandbox.account("bob.test")).did
    let view = FollowButtonModel(
      bob, as: signedIn.account, service: model.service, writer: signedIn.writer)
    #expect(view.button.state == .unknown)
    let task = Task { await view.observe() }
    await until { view.button.state == .mutual }
    await view.tap()
    await until { view.button.state == .followBack }
    #expect(view.button.relationship.state == .accepted)
    await view.tap()
    await until { view.button.state == .mutual }
    task.cancel()
    await task.value
    // The next view begins with what is remembered.
    let next = FollowButtonModel(
      bob, as: signedIn.account, service: model.service, writer: signedIn.writer)
    #expect(next.button.state == .mutual && next.button.isLastKnown)
  }

  @Test func aTapThatTheServerRefusesIsRolledBack() async throws {
    let refusal = TransportResponse.xrpcError(400, "InvalidRequest", "no more follows today")
    let transport = ScriptedTransport { [sandbox] request in
      request.head.path?.hasSuffix("applyWrites") == true ? refusal : try await sandbox.send(request)
    }
    let model = account(over: transport)
    let signedIn = try await signIn(model)
    let bob = try #require(sandbox.account("bob.test")).did
    let view = FollowButtonModel(
      bob, as: signedIn.account, service: model.service, writer: signedIn.writer)
    let task = Task { await view.observe() }
    await until { view.button.state == .mutual }
    await view.tap()
    await until { view.button.problem != nil && view.button.state == .mutual }
    guard case .change(.failed(let error)) = view.button.problem else {
      Issue.record("\(String(describing: view.button.problem))")
      return
    }
    #expect(error.detail.contains("no more follows today"))
    task.cancel()
  }

  @Test func aFeedOfFiveHundredShowsEachRowAndRefreshesAll() async throws {
    let clock = ManualClock()
    let source = ScriptedSource(follows: [:])
    let service = FollowRelationshipService(source: source, time: clock.timeSource())
    let me = sandbox.alice.did
    let feed = FeedModel(as: me, service: service)
    feed.show(try (0..<500).map { try DID(parsing: "did:web:user\($0).test") })
    let views = feed.rows.map { row in Task { await feed.observe(row) } }
    await until { feed.rows.allSatisfy { $0.button.state == .follow } }
    let first = try #require(feed.rows.first)
    source.setFollow(true, of: first.id, to: me)
    feed.refresh()
    await until { first.button.state == .followBack }
    for view in views { view.cancel() }
  }

  @Test func aSessionIsKeptAndASignOutForgetsIt() async throws {
    let first = account()
    let signedIn = try await signIn(first)
    #expect(secrets.names == ["accounts", "current", "\(sandbox.alice.did)"])
    let second = account()
    try await second.restore()
    let restored = try #require(second.signedIn)
    #expect(restored.account == signedIn.account)
    let bob = try #require(sandbox.account("bob.test")).did
    try await restored.writer.unfollow(bob)
    try await second.signOut()
    #expect(second.signedIn == nil)
    #expect(secrets.names == ["accounts"])
    #expect(second.service.remembered(actor: sandbox.alice.did, target: bob) == nil)
    let third = account()
    try await third.restore()
    #expect(third.signedIn == nil)
  }
}
