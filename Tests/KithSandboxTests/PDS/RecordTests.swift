// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct RecordTests {
  private let niaj = SandboxQuestions.network.dids[NamedAccount.niaj.rawValue]
  private typealias Writes = Com.Atproto.Repo.ApplyWrites

  @Test func writesWhatTheAppViewThenShows() throws {
    let alice = try PDSQuestions()
    #expect(try alice.relationship(niaj).following == nil)
    let created = try alice.create(alice.follow(niaj))
    #expect(created.validationStatus == .valid)
    #expect(try alice.relationship(niaj).following == created.uri)
    let record = try alice.questions.ask(
      Com.Atproto.Repo.GetRecord.self,
      .init(
        repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid,
        rkey: try #require(created.uri.recordKey)))
    #expect(record.value == alice.follow(niaj))
    #expect(record.cid == created.cid && record.uri == created.uri)
    #expect(try alice.delete(created.uri).commit != nil)
    #expect(try alice.relationship(niaj).following == nil)
  }

  @Test func keepsFieldsWhoseNamesLookTheSame() throws {
    let alice = try PDSQuestions()
    guard case .object(var fields) = alice.follow(niaj) else { return }
    (fields["\u{E9}"], fields["e\u{301}"]) = ("one", "two")
    let created = try alice.create(.object(fields))
    let record = try alice.questions.ask(
      Com.Atproto.Repo.GetRecord.self,
      .init(
        repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid,
        rkey: try #require(created.uri.recordKey)))
    #expect(record.value.object == fields && record.cid == created.cid)
  }

  @Test func namesACommitUntilTheNextOne() throws {
    let alice = try PDSQuestions()
    func latest() throws -> Com.Atproto.Sync.GetLatestCommit.Output {
      try alice.questions.ask(Com.Atproto.Sync.GetLatestCommit.self, .init(did: alice.did))
    }
    let first = try latest()
    alice.pass(60)
    #expect(try latest() == first)
    let block: DataValue = [
      "$type": "app.bsky.graph.block", "subject": .string("\(niaj)"), "createdAt": "2025-06-01T00:00:00.000Z",
    ]
    // What it names is what it compares with.
    let answer = try alice.apply(
      [.create(.init(collection: App.Bsky.Graph.Block.nsid, value: block))], swapCommit: first.cid)
    #expect(try latest().cid == answer.commit?.cid)
    let silent = try PDSQuestions(writing: SandboxWriting(tellsLatestCommit: false))
    let fault = #expect(throws: XRPCFault.self) {
      try silent.questions.ask(Com.Atproto.Sync.GetLatestCommit.self, .init(did: silent.did))
    }
    #expect(fault?.status == 501)
  }

  @Test func understandsOnlyItsOwnOpaqueCursors() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(cursors: .opaque))
    let keys = try PDSQuestions().records(limit: 100).flatMap(\.records).map(\.uri)
    #expect(try alice.records(limit: 10).flatMap(\.records).map(\.uri) == keys)
    let key = try #require(keys.last?.recordKey)
    let fault = #expect(throws: XRPCFault.self) {
      try alice.questions.ask(
        Com.Atproto.Repo.ListRecords.self,
        .init(repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid, cursor: "\(key)"))
    }
    #expect(fault?.status == 400)
  }

  /// The initial records are the ones that the AppView shows.
  @Test func hasTheRecordsThatTheAppViewShows() throws {
    let alice = try PDSQuestions()
    let records = try alice.records(limit: 100).flatMap(\.records)
    #expect(records.count == SandboxQuestions.network.follows.edges(from: NamedAccount.alice.rawValue).count)
    #expect(records.map(\.uri.description) == records.map(\.uri.description).sorted(by: >))
    for record in records {
      let subject = try #require(record.value["subject"]?.string.flatMap { DID($0) })
      #expect(try alice.relationship(subject).following == record.uri)
    }
    let grace = try PDSQuestions(.grace)
    let items = try grace.records(App.Bsky.Graph.Listitem.nsid, limit: 100).flatMap(\.records)
    #expect(items.count == 456)
    #expect(Set(items.map(\.uri)).count == items.count)
    #expect(try grace.records(App.Bsky.Graph.List.nsid).flatMap(\.records).count == 3)
    for collection in SandboxNetwork.collections {
      for record in try grace.records(collection).flatMap(\.records) {
        #expect(try RecordValidation(.reference).check(record.value, in: collection, wanted: true) == .valid)
      }
    }
  }

  @Test func deletesAnInitialRecord() throws {
    let alice = try PDSQuestions()
    let bob = alice.questions.did(.bob)
    let follow = try #require(try alice.relationship(bob).following)
    _ = try alice.delete(follow)
    #expect(try alice.relationship(bob).following == nil)
    #expect(try alice.relationship(bob).followedBy != nil)
    #expect(try !alice.records(limit: 100).flatMap(\.records).contains { $0.uri == follow })
    let follows = try alice.questions.ask(
      App.Bsky.Graph.GetFollows.self, .init(actor: .did(alice.did), limit: 100))
    #expect(!follows.follows.contains { $0.did == bob })
    // Created again, it comes first.
    let again = try alice.create(alice.follow(bob))
    #expect(try alice.relationship(bob).following == again.uri)
    #expect(try alice.records().first?.records.first?.uri == again.uri)
  }

  /// Servers were seen to answer 200 without doing anything.
  @Test(arguments: SandboxAcknowledgement.allCases) func acknowledgesWritesAsConfigured(
    _ acknowledgement: SandboxAcknowledgement
  ) throws {
    let alice = try PDSQuestions(writing: SandboxWriting(acknowledgement: acknowledgement))
    let output = try alice.apply([
      .create(Writes.Create(collection: App.Bsky.Graph.Follow.nsid, value: alice.follow(niaj)))
    ])
    #expect((output.commit != nil) == (acknowledgement == .full))
    let results: Int? =
      switch acknowledgement {
      case .full: 1
      case .missing, .nothingWritten: nil
      case .nothingWrittenNoResults: 0
      }
    #expect(output.results?.count == results)
    let isWritten = [.full, .missing].contains(acknowledgement)
    let following = try alice.relationship(niaj).following
    #expect((following != nil) == isWritten)
  }

  /// Q17
  @Test func ignoresDeletingAMissingRecord() throws {
    let alice = try PDSQuestions()
    let uri = try alice.create(alice.follow(niaj)).uri
    #expect(try alice.delete(uri).commit != nil)
    #expect(try alice.delete(uri).commit == nil)
  }

  /// Q16: createRecord replaces the older record, applyWrites and `validate: false` do not.
  @Test func replacesAFollowOfTheSameAccountOnlyInCreateRecord() throws {
    let alice = try PDSQuestions()
    let first = try alice.create(alice.follow(niaj))
    let second = try alice.create(alice.follow(niaj))
    func follows() throws -> [ATURI] {
      try alice.records(limit: 100).flatMap(\.records)
        .filter { $0.value["subject"]?.string == niaj.description }.map(\.uri)
    }
    #expect(try follows() == [second.uri] && first.uri != second.uri)
    let third = try alice.create(alice.follow(niaj), validate: false)
    #expect(try follows() == [third.uri, second.uri])
    _ = try alice.apply([.create(.init(collection: App.Bsky.Graph.Follow.nsid, value: alice.follow(niaj)))])
    #expect(try follows().count == 3)
    // One delete may not unfollow: the AppView shows the next record.
    #expect(try alice.relationship(niaj).following == second.uri)
    _ = try alice.delete(second.uri)
    #expect(try alice.relationship(niaj).following == third.uri)
    for uri in try follows() { _ = try alice.delete(uri) }
    #expect(try alice.relationship(niaj).following == nil)
  }

  @Test func appliesAllWritesOrNone() throws {
    let alice = try PDSQuestions()
    let bob = alice.questions.did(.bob)
    let follow = try #require(try alice.relationship(bob).following)
    let key = try #require(follow.recordKey)
    let block: DataValue = [
      "$type": "app.bsky.graph.block", "subject": .string(bob.description),
      "createdAt": "2025-06-01T00:00:00Z",
    ]
    let missing = RecordKey(tid: TID(at: 1, clockID: 0))
    let writes: [Writes.Input.WritesElement] = [
      .create(.init(collection: App.Bsky.Graph.Block.nsid, value: block)),
      .delete(.init(collection: App.Bsky.Graph.Follow.nsid, rkey: key)),
    ]
    #expect(throws: XRPCFault.self) {
      try alice.apply(
        writes + [.delete(.init(collection: App.Bsky.Graph.Follow.nsid, rkey: missing))])
    }
    #expect(try alice.relationship(bob).following == follow)
    #expect(try alice.relationship(bob).blocking == nil)
    let output = try alice.apply(writes)
    #expect(output.results?.count == 2)
    #expect(try alice.relationship(bob).following == nil)
    #expect(try alice.relationship(bob).blocking != nil)
    // Swapping with the old head fails, with the current head it succeeds.
    let head = try #require(output.commit?.cid)
    _ = try alice.create(alice.follow(niaj))
    let stale = #expect(throws: XRPCFault.self) {
      try alice.apply([.create(.init(collection: App.Bsky.Graph.Block.nsid, value: block))], swapCommit: head)
    }
    #expect(stale?.name == "InvalidSwap")
  }

  @Test func refusesTooManyWrites() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(mostWrites: 3))
    let write = Writes.Input.WritesElement.create(
      .init(collection: App.Bsky.Graph.Follow.nsid, value: alice.follow(niaj)))
    let fault = #expect(throws: XRPCFault.self) { try alice.apply(Array(repeating: write, count: 4)) }
    #expect(fault?.message == "Too many writes. Max: 3" && fault?.status == 400)
    #expect(try alice.apply(Array(repeating: write, count: 3)).results?.count == 3)
  }

  @Test func validatesRecordsUnlessToldNotTo() throws {
    let alice = try PDSQuestions()
    let broken: DataValue = ["$type": "app.bsky.graph.follow", "subject": "bob.test"]
    let fault = #expect(throws: XRPCFault.self) { try alice.create(broken) }
    #expect(fault?.name == "InvalidRequest")
    #expect(throws: XRPCFault.self) { try alice.create(alice.follow(niaj), in: App.Bsky.Graph.Block.nsid) }
    #expect(try alice.create(broken, validate: false).validationStatus == nil)
    let unknown = try NSID(parsing: "com.example.thing")
    #expect(try alice.create(["a": 1], in: unknown).validationStatus == .unknown)
    #expect(throws: XRPCFault.self) { try alice.create(["a": 1], in: unknown, validate: true) }
    let described = try alice.questions.ask(
      Com.Atproto.Repo.DescribeRepo.self, .init(repo: .did(alice.did)))
    #expect(described.collections.contains(unknown))
    #expect(described.collections.contains(App.Bsky.Graph.Listblock.nsid))
    #expect(!described.collections.contains(App.Bsky.Graph.List.nsid))
  }

  @Test func replacesRecords() throws {
    let alice = try PDSQuestions()
    func put(
      _ name: String, swap: Nullable<CID>? = nil
    ) throws -> Com.Atproto.Repo.PutRecord.Output {
      try alice.call(
        Com.Atproto.Repo.PutRecord.self,
        .init(
          repo: .did(alice.did), collection: App.Bsky.Actor.Profile.nsid, rkey: .literalSelf,
          record: ["$type": "app.bsky.actor.profile", "displayName": .string(name)], swapRecord: swap))
    }
    let fault = #expect(throws: XRPCFault.self) { try put("Alice L.", swap: .null) }
    #expect(fault?.name == "InvalidSwap")
    let first = try put("Alice L.")
    #expect(first.commit != nil)
    #expect(try put("Alice L.").commit == nil)
    _ = try put("Alice P.", swap: .value(first.cid))
    #expect(throws: XRPCFault.self) { try put("Alice Q.", swap: .value(first.cid)) }
    let profile = try alice.questions.ask(App.Bsky.Actor.GetProfile.self, .init(actor: .did(alice.did)))
    #expect(profile.displayName == "Alice P.")
  }

  @Test func writesOnlyToTheSessionsRepository() throws {
    let alice = try PDSQuestions()
    let input = Com.Atproto.Repo.CreateRecord.Input(
      repo: .did(alice.questions.did(.bob)), collection: App.Bsky.Graph.Follow.nsid,
      record: alice.follow(niaj))
    let other = #expect(throws: XRPCFault.self) {
      try alice.call(Com.Atproto.Repo.CreateRecord.self, input)
    }
    #expect(other?.status == 401)
    let nobody = #expect(throws: XRPCFault.self) {
      try alice.questions.call(Com.Atproto.Repo.CreateRecord.self, input)
    }
    #expect(nobody == .authMissing)
    var own = input
    own.repo = .handle(try Handle(parsing: "alice.test"))
    #expect(try alice.call(Com.Atproto.Repo.CreateRecord.self, own).commit != nil)
  }

  @Test func failsIfARecordExists() throws {
    let alice = try PDSQuestions()
    let key = RecordKey(tid: TID(at: 1, clockID: 0))
    _ = try alice.create(alice.follow(niaj), rkey: key)
    let fault = #expect(throws: XRPCFault.self) {
      try alice.create(alice.follow(alice.questions.did(.bob)), rkey: key)
    }
    #expect(fault == .internalServerError)
    #expect(try alice.relationship(niaj).following?.recordKey == key)
  }

  /// Q18: a cursor on every page that is not empty; the end is an empty page.
  @Test func listsTheNewestFirstAndEndsWithAnEmptyPage() throws {
    let alice = try PDSQuestions()
    let pages = try alice.records(limit: 30)
    #expect(pages.last?.records.isEmpty == true && pages.last?.cursor == nil)
    #expect(pages.dropLast().allSatisfy { $0.cursor != nil && !$0.records.isEmpty })
    let uris = pages.flatMap(\.records).map(\.uri)
    let reversed = try alice.records(limit: 30, reverse: true).flatMap(\.records).map(\.uri)
    #expect(uris == reversed.reversed() && Set(uris).count == uris.count)
  }

  @Test func acceptsConcurrentWrites() async throws {
    let alice = try PDSQuestions()
    let block: DataValue = ["subject": .string(niaj.description), "createdAt": "2025-06-01T00:00:00Z"]
    await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<8 {
        group.addTask {
          for number in 0..<20 {
            let key = try RecordKey(parsing: "\(task)-\(number)")
            _ = try alice.create(block, in: App.Bsky.Graph.Block.nsid, rkey: key, validate: false)
            _ = try alice.relationship(alice.questions.did(.bob))
          }
        }
      }
    }
    let keys = try alice.records(App.Bsky.Graph.Block.nsid, limit: 100).flatMap(\.records).map(
      \.uri.recordKey)
    #expect(Set(keys).count == 161 && keys.count == 161)
    #expect(alice.questions.origin.live.tally.commits == 160)
  }

  @Test func deletesOnlyTheRequestedVersion() throws {
    let alice = try PDSQuestions()
    let created = try alice.create(alice.follow(niaj))
    func delete(_ cid: CID) throws {
      _ = try alice.call(
        Com.Atproto.Repo.DeleteRecord.self,
        .init(
          repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid,
          rkey: try #require(created.uri.recordKey), swapRecord: cid))
    }
    let fault = #expect(throws: XRPCFault.self) { try delete(Identities.cid(seed: 1)) }
    #expect(fault?.name == "InvalidSwap")
    try delete(created.cid)
    #expect(try alice.relationship(niaj).following == nil)
  }

  /// Q18
  @Test func ofAnInactiveAccountAreHidden() throws {
    let oscar = try PDSQuestions(.oscar)
    let listed = #expect(throws: XRPCFault.self) { try oscar.records() }
    #expect(listed?.message.hasPrefix("Could not find repo") == true)
    let written = #expect(throws: XRPCFault.self) { try oscar.create(oscar.follow(niaj)) }
    #expect(written?.message == "Account is deactivated")
  }

  @Test func changeAsIfByAnotherApp() throws {
    let alice = try PDSQuestions()
    let live = alice.questions.origin.live
    let collection = App.Bsky.Graph.Follow.nsid
    let removed = try #require(live.records(of: alice.did, in: collection).first)
    let key = try #require(RecordKey("3kaaaaaaaaa22"))
    #expect(live.setRecords([key: alice.follow(niaj), removed.key: nil], in: collection, of: alice.did))
    #expect(live.tally.commits == 1)
    let now = live.records(of: alice.did, in: collection)
    #expect(now.first { $0.key == key }?.value == alice.follow(niaj))
    #expect(!now.contains { $0.key == removed.key })
    #expect(try alice.relationship(niaj).following?.recordKey == key)
    // What holds already is neither a commit nor a failure.
    #expect(live.setRecords([key: alice.follow(niaj), removed.key: nil], in: collection, of: alice.did))
    #expect(live.tally.commits == 1)
    let stranger = try #require(DID("did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"))
    #expect(!live.setRecords([key: nil], in: collection, of: stranger))
  }
}
