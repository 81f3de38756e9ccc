// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLexicons
import KithRelationships
import KithSandbox
import KithStore
import KithWriting
import TestSupport
import Testing

/// The service, profiles and `changes` reflect a change, whichever front made it, even though the AppView of
/// these tests never catches up.
@Suite(.timeLimit(.minutes(1))) struct OutcomeObserverTests {
  enum Front: CaseIterable, Sendable {
    /// The writer of an app, with observers.
    case writer
    /// A job of the same app.
    case job
  }

  /// A service and profiles with cached answers, on the client that also writes.
  private struct Scene {
    let app: SandboxApp
    let service: FollowRelationshipService
    let profiles: ProfileService
    let target: DID
    private let folder = FileManager.default.temporaryDirectory.appending(
      path: "kith-app-\(UUID().uuidString)")

    init(about name: String) async throws {
      app = try await SandboxApp(try await SandboxRun(writing: SandboxWriting(lag: .seconds(3_600))))
      service = FollowRelationshipService(client: app.client)
      profiles = ProfileService(account: app.account, client: app.client)
      target = try app.did(name)
    }

    func end() { try? FileManager.default.removeItem(at: folder) }

    func relationship() async throws -> RelationshipInfo {
      try await service.getRelationship(actor: app.account, target: target)
    }

    /// The number of follows of the account and of followers of the target.
    func counts() async throws -> [Int] {
      let both = try await profiles.profiles(of: [app.account, target])
      return [both[app.account]?.followsCount, both[target]?.followersCount].compactMap(\.self)
    }

    func make(_ change: ChangeIntent, by front: Front) async throws {
      switch front {
      case .writer: #expect(try await app.writer(showing: service, profiles).make(change).ending == .done)
      case .job:
        let store = SQLiteJobStore(try StoreDatabase(folder: folder.path()))
        let observers = ChangeObservers(account: app.account, relationships: service, profiles: profiles)
        let engine = app.engine(store, observers: observers)
        let submission = try await engine.submit([.init("\(target)", change)], as: "change")
        let job = try #require(submission.job)
        #expect(try await engine.run(job.id, plannedBy: submission.facts) == .done)
      }
    }
  }

  /// The relationship in the first change that the writer delivers, or in the last one that a job delivers;
  /// nil for none.
  private func deliveredChange(
    in changes: some AsyncSequence<RelationshipChange, Never> & Sendable, by front: Front
  ) async -> RelationshipInfo? {
    var first: RelationshipChange?
    switch front {
    case .writer: for await change in changes { first = change; break }
    case .job: first = await buffered(changes).last
    }
    if case .changed(_, let now)? = first { return now } else { return nil }
  }

  @Test(arguments: Front.allCases) func aFollowIsShown(_ front: Front) async throws {
    let scene = try await Scene(about: "niaj")
    defer { scene.end() }
    #expect(try await !scene.relationship().isFollowing)
    let before = try await scene.counts()
    try #require(before.count == 2)
    let changes = scene.service.changes
    try await scene.make(.follow(scene.target), by: front)
    let record = try #require(
      scene.app.sandbox.records(of: scene.app.account, in: App.Bsky.Graph.Follow.nsid).first {
        $0.value["subject"]?.string == scene.target.description
      })
    do {
      let change = await deliveredChange(in: changes, by: front)
      #expect(change?.target == scene.target && change?.isFollowing == true)
    }
    do {
      let now = try await scene.relationship()
      #expect(now.following?.recordKey == record.key)
      #expect(try await scene.service.isFollowing(actor: scene.app.account, target: scene.target))
    }
    do {
      let now = try await scene.counts()
      #expect(now == before.map { $0 + 1 })
      #expect(try await scene.profiles.profile(of: scene.target).viewer?.following != nil)
    }
  }

  @Test(arguments: Front.allCases) func aBlockAndTheEndOfTheFollowAreShown(_ front: Front) async throws {
    let scene = try await Scene(about: "bob")
    defer { scene.end() }
    #expect(try await scene.relationship().isFollowing)
    let before = try await scene.counts()
    try #require(before.count == 2)
    let changes = scene.service.changes
    try await scene.make(.block(scene.target), by: front)
    #expect(scene.app.subjects(App.Bsky.Graph.Block.nsid).contains(scene.target.description))
    do {
      let change = await deliveredChange(in: changes, by: front)
      #expect(change?.blocking != nil && change?.isFollowing == false)
    }
    do {
      let now = try await scene.relationship()
      #expect(now.blocking != nil && !now.isFollowing)
    }
    do {
      let now = try await scene.counts()
      #expect(now == before.map { $0 - 1 })
    }
  }
}
