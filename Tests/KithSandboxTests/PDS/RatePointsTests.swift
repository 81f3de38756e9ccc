// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct RatePointsTests {
  private let niaj = SandboxQuestions.network.dids[NamedAccount.niaj.rawValue]

  private func createRecord(_ alice: PDSQuestions) throws -> LocalResponse {
    try alice.questions.rawCall(
      Com.Atproto.Repo.CreateRecord.self,
      .init(repo: .did(alice.did), collection: App.Bsky.Graph.Follow.nsid, record: alice.follow(niaj)),
      token: alice.access)
  }

  private func field(_ name: String, _ answer: LocalResponse) -> String? {
    answer.fields.first { $0.name == name }?.value
  }

  @Test func areReportedWithEveryWrite() throws {
    let alice = try PDSQuestions()
    let answer = try createRecord(alice)
    #expect(answer.status == 200)
    #expect(field("RateLimit-Limit", answer) == "5000")
    #expect(field("RateLimit-Remaining", answer) == "4997")
    #expect(field("RateLimit-Reset", answer) == "1750003600")
    #expect(field("RateLimit-Policy", answer) == "5000;w=3600")
  }

  @Test func areLimitedPerHour() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(pointsPerHour: 10, pointsPerDay: 100))
    for left in [7, 4, 1] {
      #expect(field("RateLimit-Remaining", try createRecord(alice)) == "\(left)")
    }
    alice.pass(600)
    let refused = try createRecord(alice)
    #expect(refused.status == 429)
    #expect(field("RateLimit-Remaining", refused) == "1" && field("Retry-After", refused) == "3000")
    // Cheaper writes still succeed.
    let records = try alice.records().flatMap(\.records)
    _ = try alice.delete(try #require(records.first?.uri))
    alice.pass(3_000)
    #expect(field("RateLimit-Remaining", try createRecord(alice)) == "7")
  }

  @Test func areLimitedPerDay() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(pointsPerHour: 10, pointsPerDay: 14))
    for _ in 0..<3 { _ = try createRecord(alice) }
    alice.pass(3_600)
    let last = try createRecord(alice)
    #expect(field("RateLimit-Remaining", last) == "2" && field("RateLimit-Limit", last) == "14")
    let refused = try createRecord(alice)
    #expect(refused.status == 429 && field("RateLimit-Policy", refused) == "14;w=86400")
    alice.pass(82_800)
    try alice.signIn()
    #expect(try createRecord(alice).status == 200)
  }

  @Test func areCountedPerAccount() throws {
    let alice = try PDSQuestions(writing: SandboxWriting(pointsPerHour: 3))
    #expect(try createRecord(alice).status == 200)
    #expect(try createRecord(alice).status == 429)
    let bob = try alice.questions.call(
      Com.Atproto.Server.CreateSession.self, .init(identifier: "bob.test", password: "pw-bob"))
    _ = try alice.questions.call(
      Com.Atproto.Repo.CreateRecord.self,
      .init(repo: .did(bob.did), collection: App.Bsky.Graph.Follow.nsid, record: alice.follow(niaj)),
      token: bob.accessJwt)
  }

  /// Like the reference server: points are charged before the writes are checked.
  @Test func areAlsoSpentByRefusedWrites() throws {
    let alice = try PDSQuestions()
    let answer = try alice.questions.rawCall(
      Com.Atproto.Repo.ApplyWrites.self,
      .init(
        repo: .did(alice.did),
        writes: [
          .create(.init(collection: App.Bsky.Graph.Follow.nsid, value: ["subject": "absent"])),
          .delete(.init(collection: App.Bsky.Graph.Follow.nsid, rkey: .literalSelf)),
          .update(.init(collection: App.Bsky.Graph.Follow.nsid, rkey: .literalSelf, value: [:])),
        ]), token: alice.access)
    #expect(answer.status == 400 && field("RateLimit-Remaining", answer) == "4994")
  }
}
