// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithRelationships
@testable import KithWriting

/// What a list change needs, depending on the facts.
@Suite struct ListChangeTests {
  private let account = Accounts.did(0)
  private let other = Accounts.did(1)
  private let planner: ChangePlanner

  init() {
    let time = ManualClock().timeSource()
    planner = ChangePlanner(
      account: account, keys: TIDClock(clockID: 7) { time.instant }, time: time)
  }

  private func uri(_ key: String = "3list", of owner: DID? = nil) throws -> ATURI {
    try ATURI(parsing: "at://\(owner ?? account)/app.bsky.graph.list/\(key)")
  }

  private func list(
    _ key: String = "3list", name: String = "Noise",
    purpose: ListPurpose = .curate, fields: DataObject = [:]
  ) throws -> OwnList {
    let value: DataObject = [
      "$type": "app.bsky.graph.list", "name": .string(name), "purpose": .string(purpose.name),
      "createdAt": "2025-01-01T00:00:00.000Z",
    ]
    return OwnList(uri: try uri(key), value: .object(value.merging(fields) { $1 }))
  }

  private func record(_ key: String) throws -> OwnRecord {
    OwnRecord(rkey: try RecordKey(parsing: key), value: ["list": "x"])
  }

  private func info(following: Bool = false, followedBy: Bool = false) throws -> RelationshipInfo {
    let edge = try ATURI(parsing: "at://\(account)/app.bsky.graph.follow/3x")
    return RelationshipInfo(
      actor: account, target: other, following: following ? edge : nil,
      followedBy: followedBy ? edge : nil, checkedAt: Datetime(at: 0), source: .appview)
  }

  private func plan(_ change: ListChange, _ known: SubjectFacts) -> PlannedChange {
    plan(.list(change), known)
  }

  private func plan(_ change: ChangeIntent, _ known: SubjectFacts) -> PlannedChange {
    planner.plan(change, knowing: known)
  }

  private func writes(_ plan: PlannedChange) -> [RecordWrite] {
    plan.steps.flatMap { step -> [RecordWrite] in
      if case .write(let writes) = step.action { writes } else { [] }
    }
  }

  private func refusal(_ plan: PlannedChange) -> ChangeRefusal.Code? {
    if case .refused(let refusal) = plan.outcome { refusal.code } else { nil }
  }

  // MARK: Lists

  @Test func createsAListUnderTheChosenKey() throws {
    let draft = ListDraft(name: "Noise", purpose: .moderate, description: "Too loud")
    let made = plan(.create(try uri(), draft), SubjectFacts(list: ListFacts(lists: [])))
    let record = App.Bsky.Graph.List(
      purpose: .modlist, name: "Noise", description: "Too loud",
      createdAt: Datetime(at: 1_760_000_000_000_000))
    let key = try RecordKey(parsing: "3list")
    #expect(
      writes(made) == [
        RecordWrite(collection: .list, rkey: key, action: .create(try DataValue(encoding: record)))
      ]
    )
    #expect(made.points == 3)
  }

  @Test func refusesASecondListOfTheSameName() throws {
    let same = ListDraft(name: "Noise", purpose: .curate)
    let known = SubjectFacts(list: ListFacts(lists: [try list()]))
    let again = plan(.create(try uri("3new"), same), known)
    #expect(again.outcome == .holds)
    #expect(again.notes.map(\.code) == [.listIsThere])
    #expect(again.notes[0].description.contains("\(try uri())"))
    let otherKind = ListDraft(name: "Noise", purpose: .moderate)
    #expect(refusal(plan(.create(try uri("3new"), otherKind), known)) == .nameTaken)
    let otherWords = ListDraft(name: "Noise", purpose: .curate, description: "else")
    #expect(refusal(plan(.create(try uri("3new"), otherWords), known)) == .nameTaken)
  }

  /// As for posts: apps do not show control characters.
  @Test func textsOfListsArePlain() throws {
    let known = SubjectFacts(list: ListFacts(lists: [try list()]))
    let marked = ListDraft(name: "\u{FEFF}Noise", purpose: .curate, description: "\u{FEFF}")
    #expect(plan(.create(try uri("3new"), marked), known).outcome == .holds)
    #expect(plan(.edit(try uri(), ListEdit(name: "\u{FEFF}Noise")), known).outcome == .holds)
    for (name, words) in [("a\u{7}", "x"), ("a", "x\u{1B}[31m")] {
      let draft = ListDraft(name: name, purpose: .curate, description: words)
      #expect(
        refusal(plan(.create(try uri("3new"), draft), SubjectFacts(list: ListFacts(lists: [])))) == .invalid)
      #expect(refusal(plan(.edit(try uri(), ListEdit(name: name, description: words)), known)) == .invalid)
    }
  }

  /// Another program wrote them, and an import that changed them would not find its list again.
  @Test func textsOfACopiedListAreKeptExactly() throws {
    let (name, words) = ("\u{FEFF}a\u{7}", "\u{FEFF}one\r\ntwo\u{1B}[31m")
    let draft = ListDraft(copying: name, purpose: .curate, description: words)
    let made = plan(.create(try uri("3new"), draft), SubjectFacts(list: ListFacts(lists: [])))
    guard case .create(let record)? = writes(made).first?.action else {
      Issue.record("no list")
      return
    }
    #expect(record["name"]?.string == name && record["description"]?.string == words)
    let there = SubjectFacts(
      list: ListFacts(lists: [try list(name: name, fields: ["description": .string(words)])]))
    #expect(plan(.create(try uri("3new"), draft), there).outcome == .holds)
    let tooLong = ListDraft(copying: String(repeating: "x", count: 65), purpose: .curate)
    #expect(
      refusal(plan(.create(try uri("3new"), tooLong), SubjectFacts(list: ListFacts(lists: [])))) == .invalid)
  }

  @Test(arguments: ["", String(repeating: "x", count: 65)])
  func refusesAListThatViolatesItsLexicon(name: String) throws {
    let draft = ListDraft(name: name, purpose: .curate)
    let plan = plan(.create(try uri(), draft), SubjectFacts(list: ListFacts(lists: [])))
    #expect(refusal(plan) == .invalid)
  }

  @Test func clearsOnlyAMissingList() throws {
    let items = try [record("3a"), record("3b")]
    let gone = plan(
      .clear(try uri()), SubjectFacts.knowing(listBlocks: [], list: ListFacts(lists: [], items: items)))
    #expect(writes(gone).map(\.rkey.description) == ["3a", "3b"])
    let there = SubjectFacts.knowing(listBlocks: [], list: ListFacts(lists: [try list()], items: items))
    #expect(refusal(plan(.clear(try uri()), there)) == .listIsThere)
  }

  @Test func refusesWhatNeedsAListThatIsNotCreated() throws {
    let (own, elsewhere) = (try uri("3new"), try uri("3other"))
    let draft = ListDraft(name: String(repeating: "x", count: 65), purpose: .curate)
    let nothing = SubjectFacts.knowing(listBlocks: [], list: ListFacts(lists: [], items: []))
    let made = try list("3new", name: "x")
    let expecting = SubjectFacts.knowing(listBlocks: [], list: ListFacts(lists: [made], items: []))
    let dependents: [ChangeIntent] = [.add(other, to: own), .blockList(own), .muteList(own)]
    let create = plan(.create(own, draft), nothing)
    let plans = [create] + dependents.map { planner.plan($0, knowing: expecting) }
    #expect(plans.dropFirst().allSatisfy { !$0.steps.isEmpty })
    let refused = plans.refusingWhatNeedsListsNotMade()
    #expect(refused.map(refusal) == [.invalid, .noSuchList, .noSuchList, .noSuchList])

    // Another job is about to create a list with that name, under another URI.
    var awaited = plan(.create(own, ListDraft(name: "Noise", purpose: .curate)), nothing)
    awaited.outcome = .refused(.awaited(JobID(number: 1)))
    let waiting = ([awaited] + plans.dropFirst()).refusingWhatNeedsListsNotMade()
    // The other job creates the list, and nothing else.
    #expect(waiting.map(refusal) == [.awaited] + Array(repeating: .contested, count: 3))
    // A list with that name exists already.
    var there = awaited
    (there.outcome, there.notes) = (.holds, [.listIsThere(elsewhere)])
    #expect(
      ([there] + plans.dropFirst()).refusingWhatNeedsListsNotMade().dropFirst().allSatisfy {
        $0.steps.isEmpty
      })
    there.notes = [.listIsThere(own)]
    #expect(([there] + plans.dropFirst()).refusingWhatNeedsListsNotMade() == [there] + plans.dropFirst())
  }

  @Test func editsOnlyTheNamedFields() throws {
    let before = try list(fields: ["description": "old", "descriptionFacets": [], "future": 1])
    let known = SubjectFacts(list: ListFacts(lists: [before]))
    let edited = plan(.edit(before.uri, ListEdit(name: "Loud", description: "new")), known)
    let after = try list(name: "Loud", fields: ["description": "new", "future": 1])
    let former = try #require(before.value)
    #expect(writes(edited).map(\.action) == [.update(try #require(after.value), former: former)])
    #expect(edited.notes.map(\.code) == [.linksEnd])
    #expect(plan(.edit(before.uri, ListEdit(name: "Noise", description: "old")), known).outcome == .holds)
    let cleared = plan(.edit(before.uri, ListEdit(description: "")), known)
    guard case .update(let value, former: _)? = writes(cleared).first?.action else {
      Issue.record("it should be an update")
      return
    }
    #expect(value["description"] == nil)
    #expect(value["name"] == "Noise")
  }

  /// The author of the record was another client; what it wrote is not refused because of what it is.
  @Test(arguments: ["createdAt", "purpose", "descriptionFacets", "labels", "avatar"])
  func editsARecordWithAnOddMemberAndKeepsIt(member: String) throws {
    for odd in ["", .null, 7, ["x": [.null]]] as [DataValue] {
      let before = try list(fields: [member: odd, "future": ["a": 1]])
      let edited = plan(
        .edit(before.uri, ListEdit(description: "new")), SubjectFacts(list: ListFacts(lists: [before])))
      guard case .update(let value, former: before.value)? = writes(edited).first?.action else {
        Issue.record("\(member): \(odd): \(edited.outcome)")
        continue
      }
      #expect(value["description"] == "new" && value["future"] == ["a": 1])
      if member != "descriptionFacets" { #expect(value[member] == odd) }
    }
  }

  @Test func refusesOnlyNewMembersThatAreNotValid() throws {
    let odd = try list(name: String(repeating: "x", count: 65), fields: ["createdAt": ""])
    let known = SubjectFacts(list: ListFacts(lists: [odd]))
    #expect(plan(.edit(odd.uri, ListEdit(description: "new")), known).steps.count == 1)
    let long = String(repeating: "x", count: 301)
    #expect(refusal(plan(.edit(odd.uri, ListEdit(description: long)), known)) == .invalid)
    #expect(refusal(plan(.edit(odd.uri, ListEdit(name: long)), known)) == .invalid)
  }

  @Test func refusesToRenameAListToATakenOrInvalidName() throws {
    let known = SubjectFacts(
      list: ListFacts(lists: [try list(), try list("3other", name: "Loud")]))
    #expect(refusal(plan(.edit(try uri(), ListEdit(name: "Loud")), known)) == .nameTaken)
    #expect(refusal(plan(.edit(try uri(), ListEdit(name: "")), known)) == .invalid)
    #expect(
      refusal(plan(.edit(try uri(), ListEdit(name: "x")), SubjectFacts(list: ListFacts(lists: []))))
        == .noSuchList)
  }

  /// Interrupted between two commits, the list still exists under its name.
  @Test func deletesTheListAfterEverythingThatPointsToIt() throws {
    let items = try (0..<450).map { try record("3i\($0)") }
    let block = try record("3block")
    var known = SubjectFacts(list: ListFacts(lists: [try list()], items: items))
    known.listBlocks = [block]
    let deleted = plan(.delete(try uri()), known)
    #expect(deleted.steps.count == 3)
    #expect(
      deleted.steps.allSatisfy {
        if case .write(let writes) = $0.action { writes.count <= RecordWrite.mostPerCommit } else { false }
      })
    #expect(writes(deleted).count == 452)
    #expect(writes(deleted).suffix(2).map(\.collection) == [.listblock, .list])
    #expect(writes(deleted).dropLast(2).allSatisfy { $0.collection == .listitem })
    #expect(writes(deleted).last?.action == .delete(former: try list().value))
    #expect(deleted.notes.map(\.code) == [.alsoRemoved])
  }

  @Test func deletesASmallListInOneCommit() throws {
    var known = SubjectFacts(
      list: ListFacts(lists: [try list(purpose: .refer)], items: [try record("3i")]))
    known.listBlocks = []
    let deleted = plan(.delete(try uri()), known)
    #expect(deleted.steps.count == 1)
    #expect(deleted.notes.map(\.code) == [.alsoRemoved, .isReferredTo])
  }

  /// What an earlier run, or another app, left behind (Q24).
  @Test func deletesLeftoversOfAMissingList() throws {
    var known = SubjectFacts(list: ListFacts(lists: [], items: [try record("3i")]))
    known.listBlocks = []
    #expect(writes(plan(.delete(try uri()), known)).map(\.collection) == [.listitem])
    known.list?.items = []
    #expect(plan(.delete(try uri()), known).outcome == .holds)
  }

  // MARK: Members

  @Test func addsAnAccountToAList() throws {
    let known = SubjectFacts(list: ListFacts(lists: [try list()], items: []))
    let added = plan(.add(other, to: try uri()), known)
    let record = App.Bsky.Graph.Listitem(
      subject: other, list: try uri(), createdAt: Datetime(at: 1_760_000_000_000_000))
    #expect(writes(added).map(\.action) == [.create(try DataValue(encoding: record))])
    #expect(writes(added).map(\.collection) == [.listitem])
    #expect(added.steps.map(\.subject) == [.account(other)])
    let again = SubjectFacts(list: ListFacts(lists: [try list()], items: [try self.record("3i")]))
    #expect(
      plan(.add(other, to: try uri()), again) == PlannedChange(.add(other, to: try uri()), .holds))
  }

  @Test func doesNotAddAFollowedAccountToAModerationList() throws {
    let list = ListFacts(lists: [try list(purpose: .moderate)], items: [])
    let following = SubjectFacts(list: list, relationship: try info(following: true))
    let mutual = SubjectFacts(list: list, relationship: try info(following: true, followedBy: true))
    let follower = SubjectFacts(list: list, relationship: try info(followedBy: true))
    let change = ChangeIntent.add(other, to: try uri())
    for known in [following, mutual] {
      let refused = plan(change, known)
      #expect(refusal(refused) == .followed)
      let allowed = plan(.add(other, to: try uri(), allowsFollowed: true), known)
      #expect(writes(allowed).count == 1)
      #expect(allowed.notes.map(\.code) == [.isFollowed])
    }
    #expect(writes(plan(change, follower)).count == 1)
    // Unknown does not mean no.
    #expect(refusal(plan(change, SubjectFacts(list: list))) == .notLearned)
    #expect(
      writes(plan(.add(other, to: try uri(), allowsFollowed: true), SubjectFacts(list: list))).count == 1)
    let oneself = planner.plan(.add(account, to: try uri()), knowing: SubjectFacts(list: list))
    #expect(refusal(oneself) == .oneself)
    // A reading list may contain followed accounts.
    let readers = ListFacts(lists: [try self.list()], items: [])
    #expect(
      writes(plan(change, SubjectFacts(list: readers, relationship: try info(following: true)))).count == 1)
  }

  /// Q16.
  @Test func removesAnAccountByEveryRecord() throws {
    let items = [try record("3a"), try record("3b")]
    let removed = plan(
      .remove(other, from: try uri()), SubjectFacts(list: ListFacts(lists: [try list()], items: items)))
    #expect(writes(removed).map(\.rkey) == items.map(\.rkey))
    #expect(removed.notes.map(\.code) == [.duplicates])
    let nobody = SubjectFacts(list: ListFacts(lists: [try list()], items: []))
    #expect(plan(.remove(other, from: try uri()), nobody).outcome == .holds)
    let noList = SubjectFacts(list: ListFacts(lists: [], items: []))
    #expect(refusal(plan(.remove(other, from: try uri()), noList)) == .noSuchList)
    #expect(refusal(plan(.add(other, to: try uri()), noList)) == .noSuchList)
  }

  @Test func changesNothingOfOthersAndNothingWithoutFacts() throws {
    let theirs = try uri(of: other)
    let all: [ChangeIntent] = [
      .list(.edit(theirs, ListEdit(name: "x"))), .list(.delete(theirs)), .add(other, to: theirs),
      .remove(other, from: theirs),
    ]
    for change in all { #expect(refusal(plan(change, SubjectFacts())) == .notYourList) }
    let mine = try uri()
    let own: [ChangeIntent] = [
      .list(.create(mine, ListDraft(name: "x", purpose: .moderate))),
      .list(.edit(mine, ListEdit(name: "x"))), .list(.delete(mine)),
      .add(other, to: mine), .remove(other, from: mine),
    ]
    for change in own { #expect(refusal(plan(change, SubjectFacts())) == .notLearned) }
    let halfKnown = SubjectFacts(list: ListFacts(lists: [try list()]))
    for change in own.suffix(3) { #expect(refusal(plan(change, halfKnown)) == .notLearned) }
    let post = try ATURI(parsing: "at://\(account)/app.bsky.feed.post/3x")
    #expect(refusal(plan(.delete(post), SubjectFacts())) == .notAList)
  }
}
