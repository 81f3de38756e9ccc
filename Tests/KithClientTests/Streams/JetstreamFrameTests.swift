// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite("Messages of a Jetstream")
struct JetstreamFrameTests {
  private let alice = Accounts.did(1)
  private let follow = NSID("app.bsky.graph.follow")
  private let rkey = RecordKey("3lbmr6nl3zk2c")

  private func second(_ payload: String) -> JetstreamFrame {
    read(#"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#\#(payload)}}"#, .v2)
  }

  private func read(_ text: String, _ wire: JetstreamConnection.Wire) -> JetstreamFrame {
    JetstreamFrame(Array(text.utf8), wire: wire, host: "jetstream.test")
  }

  private func event(_ frame: JetstreamFrame) throws -> JetstreamEvent {
    guard case .event(let event) = frame else { throw Unreadable() }
    return event
  }

  private struct Unreadable: Error {}

  @Test func bothVersionsTellOfTheSameFollow() throws {
    let record =
      #"{"$type":"app.bsky.graph.follow","createdAt":"2026-08-13T10:00:00.000Z","subject":"did:plc:bob"}"#
    let change = """
      "rev":"3lbmr6nl3zk2d","operation":"create","collection":"app.bsky.graph.follow","rkey":"3lbmr6nl3zk2c",\
      "record":\(record),"cid":"bafyreib
      """
    let v1 = try event(
      read(
        #"{"did":"\#(alice)","time_us":1786615200000001,"kind":"commit","cursor":7,"commit":{\#(change)"}}"#,
        .v1))
    let v2 = try event(
      second(#"commit","seq":7,"did":"\#(alice)","time":"2026-08-13T10:00:00.000001Z",\#(change)""#))
    #expect(v1 == v2)
    #expect(v1.did == alice)
    #expect(
      v1.cursor
        == StreamCursor(
          host: "jetstream.test", sequence: 7, at: Instant(microsecondsSinceEpoch: 1_786_615_200_000_001)))
    guard case .commit(let commit) = v1.kind else { throw Unreadable() }
    #expect(commit.record?["subject"]?.string == "did:plc:bob")
    #expect(commit.rkey == rkey)
  }

  @Test func hostsOfTheFirstVersionDoNotNumberTheirEvents() throws {
    let text = """
      {"did":"\(alice)","time_us":1786615200000001,"kind":"commit","commit":{"rev":"3l","operation":"delete",\
      "collection":"app.bsky.graph.follow","rkey":"3lbmr6nl3zk2c"}}
      """
    let found = try event(read(text, .v1))
    #expect(found.cursor.sequence == nil)
    #expect(found.kind == .commit(JetstreamCommit(.delete, try #require(follow), try #require(rkey))))
  }

  @Test(arguments: [
    (#""active":true"#, JetstreamAccountState(isActive: true, status: nil)),
    (#""active":false,"status":"takendown""#, JetstreamAccountState(isActive: false, status: "takendown")),
    (#""active":false,"status":"a new word""#, JetstreamAccountState(isActive: false, status: "a new word")),
  ])
  func tellOfAccounts(fields: String, state: JetstreamAccountState) throws {
    let inner = #"{"seq":1,"did":"\#(alice)","time":"2026-08-13T10:00:00.000Z",\#(fields)}"#
    let v1 = read(
      #"{"did":"\#(alice)","time_us":1786615200000001,"kind":"account","account":\#(inner)}"#, .v1)
    let v2 = second(
      #"account","seq":9,"did":"\#(alice)","time":"2026-08-13T10:00:00.000001Z","account":\#(inner)"#)
    #expect(try event(v1).kind == .account(state))
    #expect(try event(v2).kind == .account(state))
  }

  @Test func tellOfIdentitiesAndBreaks() throws {
    let time = #""seq":9,"did":"\#(alice)","time":"2026-08-13T10:00:00.000001Z""#
    #expect(
      try event(second(#"identity",\#(time),"identity":{"did":"\#(alice)","handle":"alice.test"}"#)).kind
        == .identity(Handle("alice.test")))
    #expect(try event(second(#"identity",\#(time),"identity":{"did":"\#(alice)"}"#)).kind == .identity(nil))
    #expect(
      try event(second(#"sync",\#(time),"sync":{"did":"\#(alice)","rev":"3l","blocks":{"$bytes":"AA"}}"#))
        .kind == .sync)
  }

  @Test func noticesAndErrorsHaveNames() {
    #expect(
      second(#"info","name":"OutdatedCursor","message":"resumed at 5""#) == .info(name: "OutdatedCursor"))
    #expect(
      read(#"{"$type":"error","error":"ConsumerTooSlow","message":"cursor=5"}"#, .v2)
        == .error(name: "ConsumerTooSlow", message: "cursor=5"))
  }

  @Test(arguments: [
    "", "{}", "null", "[]", #"{"$type":"message"}"#, #"{"$type":"other"}"#,
    #"{"$type":"message","payload":{}}"#,
    #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#new","seq":1}}"#,
    #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#new","name":"OutdatedCursor"}}"#,
    #"{"$type":"message","payload":{"$type":"com.example#commit","seq":1}}"#,
    #"{"$type":"message","payload":{"$type":"network.bsky.jetstream.subscribeEvents#sync","did":"did:plc:a"}}"#,
    #"{"did":"none","time_us":1,"kind":"commit"}"#, #"{"did":"did:plc:abc","time_us":1,"kind":"new"}"#,
  ])
  func whatIsNotKnownIsSkipped(text: String) {
    #expect(read(text, .v1) == .skipped)
    #expect(read(text, .v2) == .skipped)
  }

  @Test func aRecordOutsideTheDataModelDoesNotHideThatThereIsOne() throws {
    let payload = """
      commit","seq":7,"did":"\(alice)","time":"2026-08-13T10:00:00.000001Z","rev":"3l","operation":"create",\
      "collection":"app.bsky.graph.follow","rkey":"3lbmr6nl3zk2c","record":{"$type":7,"subject":1.5}
      """
    let found = try event(second(payload))
    #expect(found.kind == .commit(JetstreamCommit(.create(nil), try #require(follow), try #require(rkey))))
  }
}
