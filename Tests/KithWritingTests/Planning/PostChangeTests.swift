// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithCrypto
import KithLexicons
import TestSupport
import Testing

@testable import KithPosts
@testable import KithRelationships
@testable import KithWriting

/// Plans of posts, likes and reposts.
@Suite struct PostChangeTests {
  private let account = Accounts.did(0)
  private let clock = ManualClock()

  private var planner: ChangePlanner {
    let time = clock.timeSource()
    return ChangePlanner(account: account, keys: TIDClock(clockID: 7) { time.instant }, time: time)
  }

  private func uri(
    _ collection: String = "app.bsky.feed.post", of owner: DID? = nil, key: String = "3a"
  ) throws -> ATURI {
    try ATURI(parsing: "at://\(owner ?? Accounts.did(1))/\(collection)/\(key)")
  }

  private func version() throws -> RecordVersion {
    RecordVersion(
      uri: try uri(), cid: try CID(parsing: "bafyreihwkqppkvmkfrjxfgvo6dwubeuyiw65n7s32l54aginpqh5ju5zmy"))
  }

  private func value(_ write: RecordWrite?) -> DataValue? {
    if case .create(let value)? = write?.action { value } else { nil }
  }

  private func draft(_ text: String) -> PostDraft { PostDraft(RichText(text)) }

  private func entry(
    _ planned: PlannedChange, _ state: JobItemState.Kind, job: Int64 = 1
  ) throws -> JobHistoryEntry {
    JobHistoryEntry(
      job: JobID(number: job), position: 0, until: nil, state: state, step: try #require(planned.steps.first))
  }

  // MARK: Publishing

  @Test func aThreadIsOneCommitOfWhichEachPostAnswersTheOneBefore() throws {
    var first = draft("one")
    first.audience.replies = [.followers]
    let plan = planner.plan(
      .records(.make(try [first, draft("two"), draft("three")].records)), knowing: SubjectFacts())
    let writes = try #require(plan.steps.first?.writes)
    #expect(plan.steps.count == 1)
    #expect(
      writes.map(\.collection.description) == [
        "app.bsky.feed.post", "app.bsky.feed.threadgate", "app.bsky.feed.post", "app.bsky.feed.post",
      ])
    #expect(writes[0].rkey == writes[1].rkey)
    let posts = [writes[0], writes[2], writes[3]]
    let records = try posts.map { try #require(value($0)) }
    let dates = records.compactMap { $0["createdAt"]?.string }
    #expect(dates == dates.sorted() && Set(dates).count == 3)
    for (place, record) in records.enumerated().dropFirst() {
      let reply = record["reply"]
      let former = "at://\(account)/app.bsky.feed.post/\(posts[place - 1].rkey)"
      #expect(reply?["root"]?["uri"]?.string == "at://\(account)/app.bsky.feed.post/\(posts[0].rkey)")
      #expect(reply?["parent"]?["uri"]?.string == former)
      #expect(reply?["parent"]?["cid"]?.string == CID(of: records[place - 1])?.description)
    }
    #expect(plan.points == 12)
  }

  @Test func aThreadBelowAPostHasItsRoot() throws {
    var first = draft("one")
    let parent = RecordVersion(uri: try uri(key: "3b"), cid: try version().cid)
    first.reply = PostDraft.Reply(root: try version(), parent: parent)
    let plan = planner.plan(.records(.make(try [first, draft("two")].records)), knowing: SubjectFacts())
    let replies = plan.steps.flatMap(\.writes).map { value($0)?["reply"] }
    #expect(replies.map { $0?["root"]?["uri"]?.string } == Array(repeating: try uri().description, count: 2))
    #expect(replies.first??["parent"]?["uri"]?.string == parent.uri.description)
  }

  /// They are in one commit.
  @Test(arguments: [0, 201])
  func refusesNoOrTooManyRecords(count: Int) throws {
    let records = Array(repeating: RecordDraft(try NSID(parsing: "com.example.record"), [:]), count: count)
    #expect(planner.plan(.records(.make(records)), knowing: SubjectFacts()).refusal?.code == .invalid)
  }

  @Test(arguments: [JobItemState.Kind.pending, .inDoubt])
  func waitsForAJobThatPublishesTheSame(state: JobItemState.Kind) throws {
    let change = ChangeIntent.records(.make(try [draft("once")].records))
    let earlier = planner.plan(change, knowing: SubjectFacts())
    clock.advance(by: .seconds(100))
    let planned = planner.plan(change, knowing: SubjectFacts())
    #expect(planned.considering([try entry(earlier, state)]).outcome == .refused(.awaited(JobID(number: 1))))
    #expect(planned.considering([try entry(earlier, .done)]).steps.count == 1)
    #expect(earlier.steps.first?.subject == planned.steps.first?.subject)
    let other = planner.plan(.records(.make(try [draft("twice")].records)), knowing: SubjectFacts())
    #expect(other.steps.first?.subject != planned.steps.first?.subject)
  }

  /// Journals of released versions name posts by these digits: a repeated post is found by them, and one in doubt.
  @Test func theDigitsOfPostsStayTheSame() throws {
    let version = try version()
    let link = try URI(parsing: "https://example.com/")
    let blob = Blob(ref: version.cid, mimeType: "image/png", size: 12)
    let facets = [RichText.Facet(0..<3, .mention(account)), RichText.Facet(4..<5, .link(link))]
    var answer = PostDraft(RichText("@é x #y", facets: facets + [RichText.Facet(6..<8, .tag("y"))]))
    (answer.languages, answer.labels) = ([try LanguageTag(parsing: "de-AT")], ["nudity"])
    (answer.reply, answer.quote) = (PostDraft.Reply(root: version, parent: version), version)
    answer.pictures = [PostDraft.Picture(blob, alt: "a", width: 3, height: 4)]
    answer.audience.quoting = [["$type": "x#y"]]
    var withCard = draft("card")
    withCard.card = PostDraft.Card(link, title: "T", description: "D")
    withCard.card?.thumbnail = blob
    withCard.audience.replies = []
    let digits = try [[draft("one")], [answer, draft("two"), draft("three")], [withCard]].map { drafts in
      "\(try #require(ChangeIntent.records(.make(try drafts.records)).subjects.first))"
    }
    #expect(
      digits == [
        "posts:22843ce02f5126afc8e70bd3b3ce4ccab52fc6b2865c61312d9b4568d325fe51",
        "posts:9e678e49b2fc769a94c47540ccdb35e74b49fd3d82d4ede7d6726b0b270b75ca",
        "posts:01b7d8cea3b662237b016746ea2a06821050138a09288a385fcfe1d40e2167d9",
      ])
  }

  @Test func theSubjectsOfStepsSurviveTheJournal() throws {
    let plans = [
      planner.plan(.records(.make(try [draft("x")].records)), knowing: SubjectFacts()),
      planner.plan(.posts(.react(.like, to: try version(), former: .none)), knowing: SubjectFacts()),
    ]
    for subject in plans.compactMap(\.steps.first?.subject) {
      #expect(ChangeStep.Subject(subject.description) == subject)
    }
  }

  // MARK: Deleting

  private func names(_ key: String) throws -> [RecordName] {
    try ["post", "threadgate", "postgate"].map {
      RecordName(try RecordKey(parsing: key), in: try NSID(parsing: "app.bsky.feed.\($0)"))
    }
  }

  @Test func deletesAPostWithItsGates() throws {
    let names = try names("3a")
    let known = SubjectFacts(named: [names[0]: ["text": "x"], names[1]: ["allow": []], names[2]: nil])
    let post = try uri(of: account)
    let plan = planner.plan(.posts(.delete(post)), knowing: known)
    let writes = plan.steps.flatMap(\.writes)
    #expect(writes.map(\.name) == Array(names.prefix(2)))
    #expect(writes.first?.action == .delete(former: ["text": "x"]))
    #expect(plan.steps.first?.subject == .post(post))
  }

  @Test func holdsIfThePostIsGone() throws {
    let known = SubjectFacts(
      named: Dictionary(uniqueKeysWithValues: try names("3a").map { ($0, nil) }))
    #expect(planner.plan(.posts(.delete(try uri(of: account))), knowing: known).holds)
  }

  @Test func deletesOnlyOwnPosts() throws {
    #expect(
      planner.plan(.posts(.delete(try uri())), knowing: SubjectFacts()).refusal?.code == .notYourPost)
    let like = try uri("app.bsky.feed.like", of: account)
    #expect(planner.plan(.posts(.delete(like)), knowing: SubjectFacts()).refusal?.code == .notAPost)
    #expect(
      planner.plan(.posts(.delete(try uri(of: account))), knowing: SubjectFacts()).refusal?.code
        == .notLearned)
  }

  // MARK: Reactions

  @Test(arguments: Reaction.allCases)
  func reactsOnce(reaction: Reaction) throws {
    let post = try version()
    let plan = planner.plan(.posts(.react(reaction, to: post, former: .none)), knowing: SubjectFacts())
    let record = value(plan.steps.first?.writes.first)
    #expect(record?["subject"]?["uri"]?.string == post.uri.description)
    #expect(record?["subject"]?["cid"]?.string == post.cid.description)
    #expect(plan.steps.first?.writes.first?.edge?.post == post.uri)
    // What the AppView shows is looked up.
    let shown = try uri("app.bsky.feed.\(reaction.rawValue)", of: account)
    let change = ChangeIntent.posts(.react(reaction, to: post, former: .record(shown)))
    let own = OwnRecord(rkey: try RecordKey(parsing: "3a"), value: record)
    #expect(planner.plan(change, knowing: SubjectFacts(edges: [reaction.kind: [own]])).holds)
    let name = RecordName(own.rkey, in: reaction.kind.collection)
    #expect(planner.plan(change, knowing: SubjectFacts(named: [name: nil])).steps.count == 1)
    let isOfAnother = SubjectFacts(named: [name: ["x": 1]])
    #expect(planner.plan(change, knowing: isOfAnother).refusal?.code == .notLearned)
    // The record that a job made, which the AppView does not show yet.
    let made = try entry(plan, .done)
    #expect(plan.recordsMade(by: [made]) == made.step.writes)
  }

  @Test func doesNothingWhileTheAppViewDoesNotSayWhatIsThere() throws {
    let changes: [PostChange] = [
      .react(.like, to: try version(), former: .unknown), .takeBack(.like, from: try uri(), former: .unknown),
    ]
    for change in changes {
      #expect(planner.plan(.posts(change), knowing: SubjectFacts()).refusal?.code == .notLearned)
    }
  }

  @Test func takesBackWhatThereIs() throws {
    let post = try version().uri
    let record = try uri("app.bsky.feed.like", of: account, key: "3l")
    let change = ChangeIntent.posts(.takeBack(.like, from: post, former: .record(record)))
    let name = RecordName(try RecordKey(parsing: "3l"), in: EdgeKind.like.collection)
    let own = [
      OwnRecord(rkey: name.rkey, value: ["x": 1]),
      OwnRecord(rkey: try RecordKey(parsing: "3m"), value: ["x": 2]),
    ]
    let plan = planner.plan(change, knowing: SubjectFacts(edges: [.like: own]))
    #expect(plan.notes.map(\.code) == [.duplicates])
    #expect(
      plan.steps.first?.writes
        == own.map {
          RecordWrite(collection: name.collection, rkey: $0.rkey, action: .delete(former: $0.value))
        })
    #expect(planner.plan(change, knowing: SubjectFacts(named: [name: nil])).holds)
    // One of another account, and one that is about another post.
    let foreign = try uri("app.bsky.feed.like", key: "3l")
    let other = ChangeIntent.posts(.takeBack(.like, from: post, former: .record(foreign)))
    #expect(planner.plan(other, knowing: SubjectFacts(named: [name: nil])).refusal?.code == .notLearned)
    #expect(
      planner.plan(change, knowing: SubjectFacts(named: [name: ["x": 1]])).refusal?.code == .notLearned)
  }
}
