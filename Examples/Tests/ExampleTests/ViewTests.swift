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

  /// Offline, nothing is known, and the button says what helps.
  @Test func aButtonThatCouldNotAskIsUnknownUntilItIsCheckedAgain() async throws {
    let isOffline = Flag(true)
    let transport = ScriptedTransport { [sandbox] request in
      if isOffline.isSet { throw TransportError(.cannotConnect, host: sandbox.service.host) }
      return try await sandbox.send(request)
    }
    let clock = ManualClock(.skipping)
    let time = clock.timeSource()
    let client = XRPCClient(service: sandbox.service, transport: transport, time: time)
    let service = FollowRelationshipService(client: client)
    let (me, bob) = (sandbox.alice.did, try #require(sandbox.account("bob.test")).did)
    let writer = RelationshipWriter(account: me, pds: client, relationships: service)
    let view = FollowButtonModel(bob, as: me, service: service, writer: writer)
    let task = Task { await view.observe() }
    await until { view.button.problem != nil }
    guard case .lookup(let error) = view.button.problem else {
      Issue.record("\(String(describing: view.button.problem))")
      return
    }
    #expect(error.isOffline && view.button.state == .unknown && view.button.action == .checkAgain)
    isOffline.isSet = false
    // A host that cannot be reached is left alone for a while.
    clock.advance(by: .seconds(60))
    await view.tap()
    await until { view.button.state == .mutual }
    task.cancel()
  }

  private final class Flag: Sendable {
    private let value: Mutex<Bool>

    init(_ value: Bool) { self.value = Mutex(value) }

    var isSet: Bool {
      get { value.withLock { $0 } }
      set { value.withLock { $0 = newValue } }
    }
  }

  @Test func aFeedOfFiveHundredSharesItsCalls() async throws {
    let large = SandboxTransport(accounts: 501)
    let network = ServiceNetwork.sandbox(large)
    let feed = FeedModel(as: large.alice.did, service: FollowRelationshipService(client: network.appview))
    feed.show(large.accounts.map(\.did).filter { $0 != large.alice.did })
    #expect(feed.rows.count == 500)
    let views = feed.rows.map { row in Task { await feed.observe(row) } }
    await until { feed.rows.allSatisfy { $0.button.state != .unknown } }
    // Each row alone would be 500. How many fill each call depends on the machine; with a clock of the test it is 17 in all.
    #expect(large.calls < 100)
    #expect(Set(feed.rows.map(\.button.state)).isSuperset(of: [.follow, .followBack, .following, .mutual]))
    let before = large.calls
    feed.refresh()
    await until { large.calls > before && feed.rows.allSatisfy { !$0.button.isLastKnown } }
    for view in views { view.cancel() }
  }

  @Test func whatWasLastKnownIsShownAtTheNextLaunch() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "last-known-\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: file) }
    let (me, bob) = (sandbox.alice.did, try #require(sandbox.account("bob.test")).did)
    func launch(_ transport: any HTTPTransport) -> FollowRelationshipService {
      let client = XRPCClient(
        service: sandbox.service, transport: transport, configuration: .init(retry: .never),
        time: sandbox.time)
      return FollowRelationshipService(
        source: AppViewRelationshipSource(client: client),
        cachePolicy: .init(staleLifetime: .seconds(3_600)), lastKnown: LastKnownFile(file))
    }
    let first = launch(sandbox)
    #expect(try await first.getRelationship(actor: me, target: bob).mutual)
    await first.keepLastKnown()
    let offline = launch(
      ScriptedTransport { _ in throw TransportError(.cannotConnect, host: "appview.test") })
    #expect(offline.remembered(actor: me, target: bob) == nil)
    #expect(await offline.restoreLastKnown() == 1)
    #expect(offline.remembered(actor: me, target: bob)?.mutual == true)
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
