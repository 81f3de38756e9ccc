// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import TestSupport
import Testing

@testable import KithSandbox

/// The other columns of the table of PDSes.
@Suite struct DialectTests {
  private let niaj = SandboxQuestions.network.dids[NamedAccount.niaj.rawValue]
  private let key = RecordKey(tid: TID(at: 1, clockID: 0))
  private typealias Repo = Com.Atproto.Repo

  private func writer(_ dialect: SandboxDialect) throws -> PDSQuestions {
    try PDSQuestions(writing: SandboxWriting(dialect: dialect))
  }

  private func text(_ answer: LocalResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

  @Test func lenientSendsErrorsInPlainText() throws {
    let alice = try writer(.lenient)
    let wrong = try alice.questions.rawCall(
      Com.Atproto.Server.CreateSession.self, .init(identifier: "alice.test", password: "wrong"))
    #expect(wrong.status == 401 && wrong.contentType?.hasPrefix("text/plain") == true)
    #expect(text(wrong) == "Invalid identifier or password")
    let missing = try alice.questions.rawCall(
      Repo.DeleteRecord.self,
      .init(repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid, rkey: key), token: alice.access)
    #expect(missing.status == 400 && text(missing) == "no such record")
    let expired = try alice.questions.rawCall(
      Com.Atproto.Server.RefreshSession.self, NoContent(), token: alice.refresh)
    #expect(expired.status == 200)
    let again = try alice.questions.rawCall(
      Com.Atproto.Server.RefreshSession.self, NoContent(), token: alice.refresh)
    #expect(alice.questions.fault(of: again).name == "ExpiredToken")
    // The AppView is another server.
    let nobody = alice.questions.raw("/xrpc/app.bsky.actor.getProfile", query: "actor=nobody.test")
    #expect(alice.questions.fault(of: nobody).name == "InvalidRequest")
  }

  @Test func lenientValidatesOnlyKeys() throws {
    let alice = try writer(.lenient)
    #expect(try alice.create(["subject": "absent"], rkey: key, validate: true).validationStatus == nil)
    let input = Repo.CreateRecord.Input(
      repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid, rkey: key, record: [:])
    let second = try alice.questions.rawCall(Repo.CreateRecord.self, input, token: alice.access)
    #expect(second.status == 400 && text(second) == "record already exists")
    let unnamed = Repo.ApplyWrites.Input.WritesElement.create(
      .init(collection: App.Bsky.Graph.Follow.nsid, value: alice.follow(niaj)))
    let collision = try alice.questions.rawCall(
      Repo.ApplyWrites.self, .init(repo: .did(alice.did), writes: [unnamed, unnamed]), token: alice.access)
    #expect(collision.status == 400)
    #expect(try alice.relationship(niaj).following == nil)
    #expect(try alice.apply([unnamed]).results?.count == 1)
  }

  @Test func lenientAcceptsOnlyDIDsInWrites() throws {
    let alice = try writer(.lenient)
    let input = Repo.CreateRecord.Input(
      repo: .handle(try Handle(parsing: "alice.test")), collection: App.Bsky.Graph.Follow.nsid,
      record: alice.follow(niaj))
    #expect(try alice.questions.rawCall(Repo.CreateRecord.self, input, token: alice.access).status == 401)
  }

  @Test func lenientAlsoRevokesTheOldAccessToken() throws {
    let alice = try writer(.lenient)
    _ = try alice.questions.call(Com.Atproto.Server.RefreshSession.self, NoContent(), token: alice.refresh)
    let old = alice.questions.raw("/xrpc/com.atproto.server.getSession", token: alice.access)
    #expect(old.status == 400 && alice.questions.fault(of: old).name == "ExpiredToken")
  }

  @Test func lenientHasACursorOnAFullLastPageOnly() throws {
    let alice = try writer(.lenient)
    let count = try alice.records(limit: 100).flatMap(\.records).count
    let pages = try alice.records(limit: count / 3)
    #expect(pages.last?.records.count == count % (count / 3))
    #expect(pages.dropLast().allSatisfy { $0.records.count == count / 3 && $0.cursor != nil })
    #expect(count > 100)
  }

  @Test func arrobaListsTheOldestFirstWithOverlappingPages() throws {
    let alice = try writer(.arroba)
    let reference = try PDSQuestions().records().flatMap(\.records).map(\.uri)
    let pages = try alice.records(limit: 30)
    for (page, next) in zip(pages, pages.dropFirst()) {
      #expect(page.records.last == next.records.first)
    }
    let records = pages.flatMap(\.records).map(\.uri)
    #expect(Set(records) == Set(reference))
    #expect(records.count == reference.count + pages.count - 1)
    #expect(records.first == reference.last)
    #expect(throws: XRPCFault.self) { try alice.records(reverse: true) }
  }

  @Test func arrobaOverwritesAndDoesNotSupportSwaps() throws {
    let alice = try writer(.arroba)
    _ = try alice.create(alice.follow(alice.questions.did(.bob)), rkey: key)
    _ = try alice.create(alice.follow(niaj), rkey: key)
    #expect(try alice.relationship(niaj).following?.recordKey == key)
    #expect(throws: XRPCFault.self) { try alice.create(["subject": "absent"], validate: false) }
    let head = try #require(
      try alice.apply([.delete(.init(collection: App.Bsky.Graph.Follow.nsid, rkey: key))]).commit?.cid)
    let swap = #expect(throws: XRPCFault.self) { try alice.apply([], swapCommit: head) }
    #expect(swap?.status == 400)
  }
}
