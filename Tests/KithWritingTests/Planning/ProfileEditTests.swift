// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// Changes of one's own profile.
@Suite struct ProfileEditTests {
  private func plan(_ edit: ProfileEdit, on record: DataValue?, isRead: Bool = true) -> PlannedChange {
    let planner = ChangePlanner(
      account: Accounts.did(0), keys: TIDClock(clockID: 7) { 1_700_000_000_000_000 },
      time: ManualClock().timeSource())
    let own = record.map { [OwnRecord(rkey: .literalSelf, value: $0)] } ?? []
    return planner.plan(.profile(edit), knowing: SubjectFacts(records: isRead ? [.profile: own] : [:]))
  }

  private func edit(_ change: (inout ProfileEdit) -> Void) -> ProfileEdit {
    var edit = ProfileEdit()
    change(&edit)
    return edit
  }

  private let former: DataValue = [
    "$type": "app.bsky.actor.profile", "displayName": "Alice", "description": "old",
    "com.example.mood": ["x": 1],
    "avatar": [
      "cid": "bafkreieoauzkpjqbew3qc64a5ngq6nnevl75vosrhagur737z5p5277q3u", "mimeType": "image/jpeg",
    ],
    "pinnedPost": ["uri": "at://x", "cid": "y"],
  ]

  @Test func everythingElseSurvives() throws {
    let planned = plan(edit { $0.bio = "new" }, on: former)
    let write = try #require(planned.steps.first?.writes.first)
    var wanted = try #require(former.object)
    wanted["description"] = "new"
    #expect(write.action == .update(.object(wanted), former: former))
    #expect(write.rkey == .literalSelf)
  }

  @Test func anEmptyTextIsRemoved() throws {
    let planned = plan(edit { ($0.name, $0.bio) = ("", "old") }, on: former)
    guard case .update(let value, _)? = planned.steps.first?.writes.first?.action else {
      Issue.record("no update")
      return
    }
    #expect(value["displayName"] == nil && value["description"]?.string == "old")
  }

  @Test func nothingIsWrittenThatIsThere() {
    #expect(plan(edit { $0.name = "Alice" }, on: former).holds)
  }

  @Test func aFirstProfileIsCreated() throws {
    let planned = plan(edit { $0.name = "Alice" }, on: nil)
    guard case .create(let value)? = planned.steps.first?.writes.first?.action else {
      Issue.record("no create")
      return
    }
    #expect(value["displayName"]?.string == "Alice" && value["createdAt"]?.string != nil)
  }

  @Test func whatBreaksTheLexiconIsRefused() {
    #expect(plan(edit { $0.name = String(repeating: "x", count: 65) }, on: former).refusal?.code == .invalid)
    #expect(plan(edit { $0.bio = String(repeating: "x", count: 257) }, on: nil).refusal?.code == .invalid)
    #expect(plan(edit { $0.website = "not an address" }, on: nil).refusal?.code == .invalid)
    // What was wrong before does not matter.
    var odd = former.object ?? [:]
    odd["displayName"] = .string(String(repeating: "x", count: 65))
    #expect(plan(edit { $0.bio = "new" }, on: .object(odd)).steps.count == 1)
  }

  /// As for posts: apps do not show them.
  @Test(arguments: ProfileEdit.Text.allCases)
  func controlCharactersAreRefusedAndAMarkAtTheBeginningIsDropped(text: ProfileEdit.Text) throws {
    let value = text == .website ? "https://a.test" : "new"
    let planned = plan(edit { $0[text] = "\u{FEFF}\(value)" }, on: former)
    guard case .update(let record, _)? = planned.steps.first?.writes.first?.action else {
      Issue.record("no update")
      return
    }
    #expect(record[text.field]?.string == value)
    let refusal = plan(edit { $0[text] = "\(value)\u{1B}" }, on: former).refusal
    #expect(refusal?.code == .invalid && refusal?.description.contains("U+001B") == true)
    #expect(refusal?.description.contains(text.field) == true)
  }

  @Test func aProfileThatWasNotReadIsNotReplaced() {
    #expect(plan(edit { $0.name = "x" }, on: nil, isRead: false).refusal?.code == .notLearned)
    #expect(plan(edit { $0.name = "x" }, on: .null).refusal?.code == .notLearned)
  }
}
