// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithPosts
@testable import KithRelationships
@testable import KithWriting

/// What a digest depends on, and what was made of a plan.
@Suite struct PlanDigestTests {
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)

  private func planner(_ seconds: Int64) -> ChangePlanner {
    let time = ManualClock(.skipping).timeSource(wallAtZero: 1_760_000_000_000_000 + seconds * 1_000_000)
    return ChangePlanner(account: account, keys: TIDClock(time: time), time: time)
  }

  private func digest(_ planned: PlannedChange...) -> PlanDigest {
    PlanDigest(of: planned.lines(of: account), by: account)
  }

  private func record(_ number: Int, _ collection: String = "app.bsky.graph.follow") -> OwnRecord {
    OwnRecord(rkey: ChangeSamples.rkey(number), value: PDSDouble.edge(collection, other))
  }

  private func post(
    _ text: String, at seconds: Int64 = 0, replies: [PostAudience.Rule]? = nil
  ) throws -> PlannedChange {
    var drafts = [PostDraft(RichText(text)), PostDraft(RichText("second"))]
    drafts[0].audience.replies = replies
    return planner(seconds).plan(.records(.make(try drafts.records)), knowing: SubjectFacts())
  }

  private func profile(_ name: String, over former: DataValue? = nil, at seconds: Int64 = 0) -> PlannedChange
  {
    var (edit, known) = (ProfileEdit(), SubjectFacts())
    edit.name = name
    known.records[.profile] = former.map { [OwnRecord(rkey: .literalSelf, value: $0)] } ?? []
    return planner(seconds).plan(.profile(edit), knowing: known)
  }

  private func block(_ account: DID, follows: [OwnRecord] = [], at seconds: Int64 = 0) -> PlannedChange {
    var known = SubjectFacts()
    (known.edges[.follow], known.edges[.block]) = (follows, [])
    return planner(seconds).plan(.block(account), knowing: known)
  }

  @Test func keysDatesAndOrderDoNotMatter() throws {
    let (one, two) = (block(other), block(Accounts.did(2)))
    #expect(digest(one, two) == digest(block(Accounts.did(2), at: 60), block(other, at: 90)))
    #expect(try post("a", replies: [.mentioned]).steps != post("a", at: 9, replies: [.mentioned]).steps)
    #expect(try digest(post("a", replies: [.mentioned])) == digest(post("a", at: 9, replies: [.mentioned])))
    #expect(digest(profile("N")) == digest(profile("N", at: 9)))
  }

  @Test func subjectsActionsAndContentsDo() throws {
    let all = try [
      digest(block(other)), digest(block(Accounts.did(2))), digest(block(other), block(Accounts.did(2))),
      digest(block(other, follows: [record(1)])), digest(block(other, follows: [record(1), record(2)])),
      digest(post("a")), digest(post("b")), digest(post("a", replies: [])),
      digest(post("a", replies: [.mentioned])),
      digest(profile("N")), digest(profile("M")), digest(profile("", over: ["displayName": "N"])),
      PlanDigest(of: [block(other)].lines(of: account), by: Accounts.did(9)), digest(),
    ]
    #expect(Set(all).count == all.count)
  }

  /// What another app has written meanwhile into other fields stays, and was not shown.
  @Test func fieldsThatStayDoNot() {
    let former: DataValue = ["$type": "app.bsky.actor.profile", "displayName": "A", "pinned": 1]
    #expect(digest(profile("N", over: former)) == digest(profile("N", over: ["displayName": "B"])))
  }

  @Test func isReadAsItIsWritten() throws {
    let digest = digest(block(other))
    #expect(PlanDigest(digest.description) == digest && digest.description.count == 64)
    let read = try JSONCoding.decode([PlanDigest].self, from: try JSONCoding.encode([digest]))
    #expect(read == [digest])
    for text in ["", "abc", digest.description.uppercased(), digest.description + "0"] {
      #expect(PlanDigest(text) == nil)
    }
  }

  @Test func differencesAreCountedAndSomeNamed() {
    let shown = (1..<9).flatMap { ChangeSamples.follow($0).lines(of: account) }
    let now = [ChangeSamples.follow(1), ChangeSamples.block(20)].flatMap { $0.lines(of: account) }
    let difference = PlanDifference(from: shown, to: now)
    #expect(difference.came == 2 && difference.went == 7)
    #expect(difference.subjectsThatCame.count <= 2 && difference.subjectsThatWent.count == 3)
  }

  // MARK: What was made of a plan

  private func again(
    _ narrow: (PlannedChange) -> PlannedChange, _ planned: (Int64) -> PlannedChange
  ) -> PlannedChange {
    let first = planned(0)
    let narrowing = Narrowing(from: first, to: narrow(first), by: account)
    return narrowing.applied(to: planned(60), by: account, at: Datetime(at: 1_770_000_000_000_000))
  }

  @Test func whatWasLeftOutIsLeftOutAgain() {
    let kept = again({ $0.keepingFollows(of: [other]) }) { block(other, follows: [record(1)], at: $0) }
    #expect(kept.steps.flatMap(\.writes).map(\.collection) == [.block])
    #expect(again({ $0.refused(.oneself) }) { block(other, at: $0) }.refusal?.code == .oneself)
    #expect(again(\.held) { block(other, at: $0) }.holds)
    let plain = again({ $0 }) { block(other, follows: [record(1)], at: $0) }
    #expect(digest(plain) == digest(block(other, follows: [record(1)])))
  }

  @Test func whatWasAddedIsAddedAgain() throws {
    let date = Datetime(at: 1_600_000_000_000_000)
    let dated = again({ $0.created(at: date, now: Datetime(at: 1_770_000_000_000_000)).keepingEnds() }) {
      block(other, at: $0)
    }
    guard case .create(let value)? = dated.steps.first?.writes.first?.action else {
      Issue.record("nothing is created")
      return
    }
    #expect(value["createdAt"]?.string == date.description && dated.keepsEnds)
    let version = RecordVersion(
      uri: try ATURI(parsing: "at://\(other)/app.bsky.graph.follow/3k"),
      cid: try CID(parsing: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku"))
    #expect(again({ $0.settling(version) }) { block(other, at: $0) }.steps.map(\.settles) == [version])
  }

  /// A mute that is in another scope by then is another change.
  @Test func theScopeThatEndsMatters() {
    func line(_ scope: MuteScope) -> [PlanLine] {
      ChangeStep(subject: .account(other), action: .call(.unmute(other), former: .mute(other, scope)))
        .lines(of: account)
    }
    #expect(line(.reposts) != line(.everything))
  }
}
