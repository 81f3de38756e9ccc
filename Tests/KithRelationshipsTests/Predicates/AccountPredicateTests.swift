// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

@Suite struct AccountPredicateTests {
  private let now = Datetime(at: 1_800_000_000_000_000)

  private func day(_ days: Int) -> Datetime {
    Datetime(at: now.instant - Int64(days) * 86_400_000_000)
  }

  /// - Parameter edges: f and F follow, b and B block, l and L block by list; lower case from the actor.
  private func info(_ edges: String, muted: Bool? = nil) -> RelationshipInfo {
    func edge(_ letter: Character) -> ATURI? {
      edges.contains(letter) ? ATURI("at://\(Accounts.did(1))/app.bsky.graph.follow/3jzfcijpj2z2a") : nil
    }
    return RelationshipInfo(
      actor: Accounts.did(0), target: Accounts.did(1), following: edge("f"), followedBy: edge("F"),
      blocking: edge("b"), blockedBy: edge("B"), blockingByList: edge("l"), blockedByList: edge("L"),
      muted: muted, checkedAt: now, source: .appview)
  }

  private var facts: AccountFacts {
    AccountFacts(
      AccountView(
        Accounts.did(1), handle: Accounts.handle(1), displayName: "Zoë Ångström",
        description: "Birds & ships",
        createdAt: day(400), counts: AccountView.Counts(followers: 1_500, follows: 20, posts: 0),
        status: .active,
        since: day(30)
      ).shown(true),
      relationships: [
        .actor: info("fF"), .viewer: info("b"), .account(.handle(Accounts.handle(7))): info(""),
      ])
  }

  private func answer(_ text: String, _ facts: AccountFacts? = nil) throws -> Bool? {
    try AccountPredicate(parsing: text, now: now).holds(for: facts ?? self.facts)
  }

  private func marked(_ marks: AccountMarks?, known: Int? = nil) -> AccountFacts {
    var facts = facts
    if let marks { facts.view = facts.view.with(marks) }
    facts.view = facts.view.with(ViewerRelationship(.none, knownFollowers: known))
    return facts
  }

  @Test(
    arguments: [
      ("verified", true), ("avatar", false), ("label", true), ("label is SPAM", true),
      ("label is spa", false),
      ("label contains spa", true), ("label is not spam", false), ("not label is bot and verified", true),
      ("label and followers > follows", true), ("follows >= followers", false),
      ("known-followers > 3", true), ("known-followers < followers", true),
    ])
  func marksAndCountsAreCompared(text: String, isTrue: Bool) throws {
    let marks = AccountMarks(
      labels: [.init("spam", by: Accounts.did(9)), .init("own", by: Accounts.did(1))], isVerified: true)
    #expect(try answer(text, marked(marks, known: 4)) == isTrue)
  }

  /// A label that an account gives itself is none of a labeler.
  @Test func anOwnLabelIsNoLabelOfALabeler() throws {
    let own = marked(AccountMarks(labels: [.init("bot", by: Accounts.did(1))]))
    #expect(try answer("label", own) == false)
    #expect(try answer("label is bot", own) == true)
  }

  @Test(arguments: ["verified", "avatar", "label", "label is x", "known-followers > 0", "on LIST"])
  func whatIsNotKnownDecidesNothing(_ text: String) throws {
    #expect(try answer(text, marked(nil)) == nil)
    #expect(try answer("not \(text)", marked(nil)) == nil)
  }

  @Test func membersOfListsAreKnownByTheNameThatWasTyped() throws {
    var facts = facts
    facts.lists = ["Book club": true, "Other": false]
    #expect(try answer("on \"Book club\"", facts) == true)
    #expect(try answer("not on Other", facts) == true)
    let needs = try AccountPredicate(parsing: "on A or on B or verified", now: now).needs
    #expect(needs.lists == ["A", "B"] && needs.contains(.marks))
  }

  @Test(
    arguments: [
      ("on", 3), ("followers > known", 13), ("label is", 9), ("known-followers 7", 17),
      ("verified is true", 10),
    ])
  func mistakesInTheNewWordsAreLocated(text: String, position: Int) {
    let error = #expect(throws: PredicateError.self) { try AccountPredicate(parsing: text, now: now) }
    #expect(error?.position == position)
  }

  /// AppViews do not tell suspended accounts from those that were taken down.
  @Test func aTakenDownAccountIsSuspended() throws {
    #expect(
      try AccountPredicate(parsing: "status is taken-down", now: now)
        == AccountPredicate(parsing: "status is suspended", now: now))
    #expect(try answer("status is taken-down") == false)
  }

  @Test(
    arguments: [
      ("", [.following: nil, .followedBy: false, .mutual: false, .blocking: nil, .blocked: nil, .none: nil]),
      ("F", [.following: nil, .mutual: nil, .blocked: nil, .none: false]),
      ("fF", [.following: true, .mutual: true]), ("B", [.blocking: nil, .blocked: true, .none: false]),
      ("b", [.blocking: true, .blocked: true]),
    ] as [(String, [Relation: Bool?])])
  func anActorThatIsNotShownHasOnlyTheEdgesThatAreReturned(edges: String, results: [Relation: Bool?]) {
    for (relation, result) in results {
      let info = info(edges)
      #expect(relation.holds(for: info, isShown: true, isActorShown: false) == result, "\(relation)")
      #expect(relation.holds(for: info, isShown: true) != nil, "\(relation)")
    }
  }

  @Test func aSegmentIsReplacedByItsPredicate() throws {
    let segments = ["big": "followers > 1000", "loyal": "segment big and mutual", "loop": "not segment loop"]
    func answer(_ text: String) throws -> Bool? {
      try AccountPredicate(parsing: text, now: now, segments: segments).holds(for: facts)
    }
    #expect(try answer("segment big") == true && answer("not Segment loyal") == false)
    #expect(try answer("segment loyal and (posts > 3 or not segment big)") == false)
    for (text, position) in [("segment", 8), ("segment huge", 9), ("mutual and segment loop", 20)] {
      let error = #expect(throws: PredicateError.self) { try answer(text) }
      #expect(error?.position == position, "\(text)")
    }
    #expect(throws: PredicateError.self) { try AccountPredicate(parsing: "segment big", now: now) }
  }

  /// Each of these segments repeats the one before a hundred times: together they would stand for billions of
  /// terms.
  @Test func segmentsThatMultiplyTermsAreRefused() throws {
    var segments = ["e0": "mutual"]
    func predicate(_ number: Int) -> String {
      Array(repeating: "segment e\(number - 1)", count: 100).joined(separator: " or ")
    }
    for number in 1...7 { segments["e\(number)"] = predicate(number) }
    let two = try AccountPredicate(parsing: "segment e2", now: now, segments: segments)
    #expect(two.holds(for: facts) == true)
    for text in ["segment e3", "segment e7", "segment e2 or mutual"] {
      let error = #expect(throws: PredicateError.self) {
        try AccountPredicate(parsing: text, now: now, segments: segments)
      }
      #expect(error?.reason.contains("10000 terms") == true, "\(text)")
    }
  }

  @Test(arguments: [
    "mutual", "MUTUAL and Following", "not blocked", "blocked with me",
    "blocking with me and not muted or mutual",
    "none with user7.test", "followers > 1000", "followers>1k", "followers >= 1500 and follows<=20",
    "followers = 1500 and followers != 1", "posts < 1", "followers<2m", "handle is user1.test",
    "handle is not user2.test", "name contains angstrom", "name contains \"zoe ang\"",
    "name is 'ZOË ÅNGSTRÖM'",
    "bio contains SHIPS", "followed within 31d", "not followed within 29d", "followed before 2100-01-01",
    "created since 2020-01-01", "created before 2027-01-01T00:00:00Z", "status is active",
    "status is not deleted", "status != deleted", "status = active", "(mutual)", "not (blocked or none)",
    "not not mutual", "not mutual or mutual", "mutual or mutual and blocked", "handle contains ''",
  ])
  func holds(text: String) throws { #expect(try answer(text) == true) }

  @Test(arguments: [
    "blocked", "none", "followed-by and blocked", "mutual with me", "(mutual or mutual) and blocked",
    "followers > 1500", "name is zoe", "bio contains cats", "followed since 2100-01-01", "status is deleted",
    "not mutual",
  ])
  func doesNotHold(text: String) throws { #expect(try answer(text) == false) }

  @Test func activityIsTheLastChangeOfTheRepository() throws {
    var facts = facts
    facts.lastChange = day(100)
    #expect(try answer("active within 101d and not active within 99d", facts) == true)
    #expect(try answer("active before 2027-01-01", facts) == true)
    #expect(try answer("active since 2027-01-01", facts) == false)
  }

  /// Promise 1: an unknown fact is neither true nor false.
  @Test func anUnknownFactHasNoResultUnlessTheRestDecides() throws {
    let unknown = AccountFacts(AccountView(Accounts.did(1)).shown(true), relationships: [.actor: info("")])
    for text in [
      "muted", "not muted", "followers > 1", "name contains x", "followed within 1d", "created within 1d",
      "status is active", "mutual with me", "muted and none", "muted or mutual", "active within 90d",
    ] {
      #expect(try answer(text, unknown) == nil, "\(text)")
    }
    #expect(try answer("muted and mutual", unknown) == false)
    #expect(try answer("muted or none", unknown) == true)
    #expect(
      try answer(
        "muted", AccountFacts(AccountView(Accounts.did(1)), relationships: [.actor: info("", muted: true)]))
        == true)
  }

  /// What an account that the AppView does not show does is unknown, unless an edge of it is returned: unknown is
  /// not "no", and not "none" either.
  @Test(
    arguments: [
      // Result if shown, and otherwise.
      ("following", "f", true, true), ("following", "", false, false), ("followed-by", "F", true, true),
      ("followed-by", "", false, nil), ("followed-by", "fb", false, nil), ("mutual", "fF", true, true),
      ("mutual", "f", false, nil), ("mutual", "F", false, false), ("mutual", "", false, false),
      ("blocking", "l", true, true), ("blocking", "", false, false), ("blocked-by", "B", true, true),
      ("blocked-by", "L", true, true), ("blocked-by", "f", false, nil), ("blocked", "b", true, true),
      ("blocked", "B", true, true), ("blocked", "f", false, nil), ("none", "", true, nil),
      ("none", "f", false, false), ("none", "F", false, false), ("not followed-by", "f", true, nil),
      ("following and not followed-by", "", false, false),
    ] as [(String, String, Bool?, Bool?)]) func knowsNothingOfAnAccountThatIsNotShown(
      text: String, edges: String, whenShown: Bool?, otherwise: Bool?
    ) throws
  {
    let predicate = try AccountPredicate(parsing: text, now: now)
    let info = info(edges)
    #expect(predicate.holds(for: AccountFacts(info, isShown: true)) == whenShown)
    for isShown in [false, nil] as [Bool?] {
      let facts = AccountFacts(info, isShown: isShown)
      #expect(predicate.holds(for: facts) == otherwise)
      #expect(predicate.needsPresence(of: facts) == (otherwise == nil))
    }
  }

  @Test(arguments: [
    ("", 1), ("mutal", 1), ("mutual and", 11), ("mutual blocked", 8), ("(mutual", 8), ("mutual)", 7),
    ("followers", 10), ("followers > ", 13), ("followers > many", 13), ("followers ~ 5", 11),
    ("followers > -1", 13), ("followers > 99999999999999999999", 13), ("name like x", 6),
    ("mutual with absent", 13), ("mutual with", 12), ("followed within 90", 17), ("followed 90d", 13),
    ("followed since yesterday", 16), ("status is gone", 11), ("status active", 8), ("name is \"x", 9),
    ("not", 4), ("\"mutual\"", 1), ("mutual and 🐳 and none", 12),
  ])
  func anErrorReportsItsPosition(text: String, position: Int) {
    let error = #expect(throws: PredicateError.self) { try AccountPredicate(parsing: text, now: now) }
    #expect(error?.position == position, "\(text): \(error.map { "\($0)" } ?? "")")
  }

  @Test func depthAndLengthAreBounded() {
    let deep = String(repeating: "(", count: 900) + "mutual" + String(repeating: ")", count: 900)
    #expect(throws: PredicateError.self) { try AccountPredicate(parsing: deep, now: now) }
    let nots = String(repeating: "not ", count: 400) + "mutual"
    #expect(throws: PredicateError.self) { try AccountPredicate(parsing: nots, now: now) }
    let long = "mutual" + String(repeating: " or mutual", count: 1_000)
    #expect(throws: PredicateError.self) { try AccountPredicate(parsing: long, now: now) }
  }

  private func needs(_ text: String) throws -> AccountPredicate.Needs {
    let predicate = try AccountPredicate(parsing: text, now: now)
    return predicate.needs
  }

  @Test func needsOnlyTheFactsOfItsTerms() throws {
    #expect(
      try needs("mutual and not blocked with me").facts
        == [.relationship(with: .actor), .relationship(with: .viewer), .presence])
    #expect(try needs("following").facts == [.relationship(with: .actor)])
    #expect(try needs("mutual") == AccountPredicate(.mutual).needs)
    #expect(try needs("followers > 1 and created within 1d").facts == [.profile])
    #expect(try needs("name is x").facts == [.names])
    #expect(try needs("followed within 1d").facts == [.date])
    // Only accounts without a name are asked about one by one.
    #expect(try needs("status is active").facts == [.status, .names])
    #expect(try needs("not active within 90d").facts == [.activity])
    #expect(try needs("friend with me").facts == [.friendship(with: .viewer)])
    #expect(try needs("friend with me").asksAboutViewer && !needs("friend").asksAboutViewer)
    #expect(try needs("muted with me or muted with user7.test").mutes.count == 2)
    #expect(try needs("mutual").mutes.isEmpty)
    #expect(try needs("muted and not blocked").areOnlyRelationships(to: .actor))
    for text in ["muted with me", "muted and followers > 1", "active within 1d"] {
      #expect(try !needs(text).areOnlyRelationships(to: .actor), "\(text)")
    }
  }

  @Test(arguments: [
    ("Zoë", "zoe"), ("ÅNGSTRÖM", "angstrom"), ("Việt Nam", "viet nam"), ("e\u{301}te\u{301}", "ete"),
    ("ΆΛΦΑ", "αλφα"), ("Ёлка", "елка"), ("朱迪", "朱迪"), ("🐳", "🐳"), ("Łódź", "łodz"), ("ISTANBUL", "istanbul"),
  ])
  func textIsFolded(text: String, folded: String) {
    #expect(FoldedText(text) == FoldedText(folded))
    #expect(FoldedText("x \(text) y").contains(FoldedText(folded)))
  }

  /// Random predicates against the tables of three-valued logic.
  @Test func operatorsFollowTheTables() throws {
    var generator = SeededGenerator(seed: 13)
    let leaves: [(text: String, value: Bool?)] = [("mutual", true), ("blocked", false), ("muted", nil)]
    func expression(_ depth: Int) -> (text: String, value: Bool?) {
      guard depth > 0 else { return leaves[Int.random(in: 0..<3, using: &generator)] }
      let left = expression(depth - 1)
      switch Int.random(in: 0..<3, using: &generator) {
      case 0: return ("not (\(left.text))", left.value.map { !$0 })
      case 1:
        let right = expression(depth - 1)
        let values = [left.value, right.value]
        return (
          "(\(left.text)) and (\(right.text))",
          values.contains(false) ? false : values.contains(nil) ? nil : true
        )
      default:
        let right = expression(depth - 1)
        let values = [left.value, right.value]
        return (
          "(\(left.text)) or (\(right.text))",
          values.contains(true) ? true : values.contains(nil) ? nil : false
        )
      }
    }
    for _ in 0..<300 {
      let (text, value) = expression(4)
      #expect(try answer(text) == value, "\(text)")
    }
  }
}
