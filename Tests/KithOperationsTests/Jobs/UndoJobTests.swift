// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithOperations
import KithPosts
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

@testable import KithSandbox
@testable import KithWriting
@testable import SandboxSupport

/// What an undo takes back, what it asks, and what it brings back that a server has thrown away.
@Suite struct UndoJobTests {
  private let alice: ServedUser
  private var network: FaultyNetwork { alice.network }

  init() async throws { alice = try await ServedUser(on: FaultyNetwork(accounts: 60)) }

  private func posts() throws -> [RecordKey: DataValue] { try alice.records(.post) }

  private func profile() throws -> DataValue { try #require(try alice.records(.profile).values.first) }

  /// The AT-URI of the latest post.
  private func lastPost() throws -> String {
    let last = try #require(try posts().keys.map { "\($0)" }.max())
    return "at://\(try alice.did("alice"))/app.bsky.feed.post/\(last)"
  }

  private func hasFile(_ value: DataValue?) throws -> Bool {
    let account = try network.number("alice")
    let cid = try #require(value?["ref"]?.link)
    return network.live.state { $0.files.file(cid, of: account) } != nil
  }

  private func follow(_ name: String) async throws -> ChangeRow.State? {
    try await alice.confirmed(ChangeAccounts(.follow(), .cast(name))).rows.first?.state
  }

  private func undo(_ job: Int64? = nil) async throws -> OperationRun<UndoJob> {
    let run = try await alice.run(UndoJob(job.map { JobID(number: $0) }))
    #expect(run.outcome.ending == .done && run.questions.isEmpty)
    return run
  }

  /// What made no job, and is taken back.
  private func takenBack() async throws -> String? {
    if case .tookBack(let title) = try await undo().outcome { title } else { nil }
  }

  /// Why nothing is undone.
  private func reason(as name: String = "alice") async throws -> OutputValue? {
    let workspace = alice.workspace().acting(as: try alice.actor(name))
    let refused = try await alice.failure(of: UndoJob(), in: workspace)
    #expect(refused.kind == .usage)
    return refused.code == "lastChangeStays"
      ? ErrorFields(refused.error).fields["reason"] : .string(refused.code)
  }

  // MARK: The last change

  /// A change that made no job, or changed nothing, is still the last one: a post stays.
  @Test func itNeverTakesBackSomethingOlderThanTheLastChange() async throws {
    let bob = try alice.did("bob")
    #expect(try await follow("judy") == .done)
    _ = try await alice.confirmed(PublishPosts("My dear post"))
    #expect(try await follow("judy") == .unchanged)
    let unchanged = try await alice.failure(of: UndoJob())
    let fields = ErrorFields(unchanged.error).fields
    #expect(unchanged.code == "lastChangeStays" && unchanged.kind == .usage)
    #expect(fields["reason"] == .string("changedNothing") && fields["older"] == .integer(2))
    _ = try await alice.run(DismissPeople([bob]))
    #expect(try await takenBack() == "people dismiss")
    #expect(try await alice.run(ListDismissedPeople()).rows.isEmpty)
    #expect(try await reason() == .string("isTakenBack"))
    for predicate in ["followers > 10", "followers > 20"] {
      _ = try await alice.run(AddSegment("big", predicate))
    }
    #expect(try await takenBack() != nil)
    #expect(try await alice.run(ListSegments()).rows.map(\.segment.predicate) == ["followers > 10"])
    _ = try await alice.run(RemoveSegments(["big"]))
    #expect(try await takenBack() != nil)
    #expect(try await alice.run(ListSegments()).rows.count == 1)
    _ = try await alice.run(WatchAccounts([bob]))
    #expect(try await takenBack() != nil)
    #expect(try await alice.run(ListWatchedAccounts()).rows.isEmpty)
    _ = try await alice.run(SubscribeToPosts(to: [.did(bob)]))
    #expect(try await reason() == .string("isFinal"))
    #expect(try posts().count == 1)
    _ = try await undo(2)
    #expect(try posts().isEmpty)
  }

  /// After a change, undo after undo goes back in time; what an account did says nothing about another one.
  @Test func undoAfterUndoGoesBackUntilAChangeThatChangedNothing() async throws {
    #expect(try await follow("judy") == .done)
    _ = try await alice.run(DismissPeople([try alice.did("bob")]))
    _ = try await alice.confirmed(ChangeAccounts(.mute(), .cast("bob")))
    #expect(try await undo().rows.first?.job.undoes == JobID(number: 2))
    #expect(try await takenBack() != nil)
    #expect(try await reason() == .string("isTakenBack"))
    try await alice.signIn("bob")
    #expect(try await reason(as: "bob") == .string("nothingToUndo"))
    network.clock.advance(by: .seconds(10))
    _ = try await alice.workspace().jobStore().prune(endedBefore: network.time.instant - .seconds(1))
    #expect(try await reason() == .string("isTakenBack"))
  }

  // MARK: Public content

  @Test func whatIsPublicIsAskedAboutAndSaysWhatStays() async throws {
    _ = try await alice.confirmed(PublishPosts("hello"))
    let post = try lastPost()
    var edit = ProfileEdit()
    edit.bio = "I like birds."
    _ = try await alice.confirmed(EditProfile(edit))
    func preview(
      _ job: Int64, over transport: (any HTTPTransport)? = nil
    ) async throws -> UndoPreview {
      let run = UndoJob(JobID(number: job), asking: true)
      let declined = PosixMutex<UndoPreview?>(nil)
      let error = await #expect(throws: OperationError.self) {
        try await alice.run(run, over: transport) { question in
          if case .undo(_, let preview) = question { declined.withLock { $0 = preview } }
          return false
        }
      }
      #expect(error?.code == .declined)
      let shown: UndoPreview? = declined.withLock { $0 }
      return try #require(shown)
    }
    #expect(try await preview(1).isPublic)
    #expect(try await preview(2).changesProfile)
    #expect(try posts().count == 1)
    let bob = try await ServedUser("bob", on: network)
    var reply = PublishPosts("a reply")
    reply.answered = post
    _ = try await bob.confirmed(reply)
    let delete = try await alice.run(Change(DeletePosts([post])))
    #expect(delete.outcome.ending == .declined)
    guard case .object(let concern)? = delete.questions.first?.fields["concern"] else {
      Issue.record("asked otherwise: \(delete.questions)")
      return
    }
    #expect(concern["code"] == .string("replies") && concern["replies"] == .integer(1))
    #expect(try await preview(1).repliesLeft == 1)
    let deaf = FailingMethods(network: network, methods: ["app.bsky.feed.getPosts"])
    #expect(try await preview(1, over: deaf).repliesLeft == nil)
  }

  /// Each record of a thread is undone by itself.
  @Test func aThreadOfWhichAPartIsGoneIsUndoneToTheEnd() async throws {
    var thread = PublishPosts(
      Array(repeating: "This is a sentence that says nothing.", count: 20).joined(separator: " "))
    (thread.splits, thread.replies) = (true, .only([]))
    #expect(try await alice.confirmed(thread).outcome.ending == .done)
    _ = try await alice.confirmed(DeletePosts([try lastPost()]))
    let counts = try #require(try await undo(1).rows.first?.counts)
    #expect(try posts().isEmpty)
    #expect(counts[.skipped] > 0 && counts[.done] > 0)
    #expect(try alice.records(.threadgate).isEmpty)
  }

  // MARK: What the server throws away

  private func publishPicture() async throws -> (uri: String, image: DataValue?) {
    var post = PublishPosts("sea")
    post.pictures = [.init(try .sample("photo.jpg"), alt: "Waves")]
    _ = try await alice.confirmed(post)
    return (try lastPost(), try posts().values.first?["embed"]?["images"]?.array?.first?["image"])
  }

  /// Servers that do not hand out files.
  private var withoutFiles: FailingMethods {
    FailingMethods(network: network, methods: ["com.atproto.sync.getBlob"])
  }

  @Test func thePicturesOfADeletedPostComeBack() async throws {
    let (uri, image) = try await publishPicture()
    let before = try posts()
    #expect(try await alice.confirmed(DeletePosts([uri])).notes["filesNotRestorable"] == nil)
    #expect(try posts().isEmpty && !hasFile(image))
    let cid = try #require(image?["ref"]?.link)
    #expect(try await alice.workspace().jobStore().keptFiles(among: [cid]) == [cid])
    _ = try await undo()
    #expect(try posts() == before && hasFile(image))
  }

  /// It is said before, and the post stays away.
  @Test func aPostWhosePicturesAreGoneForGoodStaysAway() async throws {
    let (uri, _) = try await publishPicture()
    let deleted = try await alice.confirmed(DeletePosts([uri]), over: withoutFiles)
    #expect(deleted.notes["filesNotRestorable"]?["count"] == .integer(1))
    let lost = PosixMutex(0)
    await #expect(throws: OperationError.self) {
      try await alice.run(UndoJob(asking: true)) { question in
        if case .undo(_, let preview) = question { lost.withLock { $0 = preview.lostFiles } }
        return false
      }
    }
    #expect(lost.withLock(\.self) == 1)
    let run = try await undo()
    #expect(run.notes["filesNotRestorable"]?["count"] == .integer(1))
    #expect(run.rows.map { $0.counts[.skipped] } == [1])
    #expect(try posts().isEmpty)
  }

  private func set(
    _ name: String?, avatar: String, over transport: (any HTTPTransport)? = nil
  ) async throws -> OperationRun<Change<EditProfile>> {
    var edit = ProfileEdit()
    edit.name = name
    let run = try await alice.confirmed(EditProfile(edit, avatar: try .sample(avatar)), over: transport)
    #expect(run.rows.map(\.state) == [.done])
    return run
  }

  @Test func aReplacedAvatarComesBackAndTheTextsComeBackWithoutIt() async throws {
    _ = try await set("Alice A", avatar: "photo.png")
    let before = try profile()
    #expect(try await set("Alice B", avatar: "photo.jpg").notes["filesNotRestorable"] == nil)
    let after = try profile()
    #expect(try !hasFile(before["avatar"]))
    _ = try await undo(2)
    #expect(try profile() == before && hasFile(before["avatar"]))
    // If a server does not hand out a file, the rest is changed, and that is said.
    _ = try await set("Alice A", avatar: "progressive.jpg")
    let uncopied = try await set("Alice B", avatar: "photo.jpg", over: withoutFiles)
    #expect(uncopied.notes["filesNotRestorable"]?["count"] == .integer(1))
    #expect(try await undo().notes["filesNotRestorable"]?["count"] == .integer(1))
    #expect(try profile()["displayName"]?.string == "Alice A")
    #expect(try profile()["avatar"] == after["avatar"])
  }
}
