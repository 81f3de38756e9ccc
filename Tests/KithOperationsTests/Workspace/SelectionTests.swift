// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

/// One phrase, one set: a change plans the accounts that the listing of the same name and predicate shows.
@Suite struct SelectionTests {
  /// A network whose records and keys disagree about dates, with an account that the AppView has not indexed.
  private static let network = Result {
    let network = FaultyNetwork(accounts: 300, unindexed: [try Handle(parsing: "bob.test")])
    func follow(_ name: String, _ date: String) throws -> DataValue {
      [
        "$type": "app.bsky.graph.follow", "subject": .string("\(try network.did(name))"),
        "createdAt": .string(date),
      ]
    }
    let records: [RecordKey: DataValue?] = [
      // A record of 2020 with a key of 2026, one of 2026 with a key of 2023, and one without a sound date.
      try RecordKey(parsing: "3mabcdefghi22"): try follow("niaj", "2020-01-01T00:00:00.000Z"),
      try RecordKey(parsing: "3jzfcijpj2z2a"): try follow("judy", "2026-11-01T00:00:00.000Z"),
      try RecordKey(parsing: "3jzfcijpj2z2b"): try follow("trent", "yesterday"),
    ]
    let (alice, follows) = (try network.did("alice"), try NSID(parsing: "app.bsky.graph.follow"))
    #expect(network.setRecords(records, in: follows, of: alice))
    return network
  }

  private static func listings(of me: ATIdentifier) -> [(name: String, query: ListingQuery)] {
    [
      ("following", .follows(of: me, in: .bluesky)), ("followers", .followers(of: me, in: .bluesky)),
      ("mutuals", .mutuals(of: me)), ("not-following-back", .notFollowingBack(me)),
      ("not-followed-back", .notFollowedBack(by: me)), ("blocks", ListingQuery(.blocks(of: me))),
      ("mutes", ListingQuery(.mutes(of: me))),
    ]
  }

  private static let terms = [
    "followed before 2024-02-01", "followed-by", "followed since 2024-02-01", "mutual", "handle contains 1",
    "blocked", "followed within 400d", "none", "followers > 10",
  ]

  /// Each term, its negation, and pairs of terms.
  private static let predicates =
    terms + terms.map { "not \($0)" }
    + zip(terms, terms.dropFirst() + terms.prefix(1)).flatMap { ["\($0) and \($1)", "\($1) or not \($0)"] }

  private func predicate(_ text: String) throws -> AccountPredicate {
    try AccountPredicate(parsing: text, now: Datetime(at: 1_760_000_000_000_000))
  }

  /// What a change of the selected accounts would do, and the calls that this takes.
  private func plan(
    _ selection: AccountSelection, by user: ServedUser, as intent: (DID) -> ChangeIntent
  ) async throws -> (found: SelectedAccounts, planned: OperationRun<Change<RequestedChanges>>) {
    let workspace = user.workspace()
    let account = try await workspace.account()
    let found = try await workspace.accounts(of: selection, as: account) { _ in }
    var change = Change(RequestedChanges(found.requests(intent), as: ChangeTitle("change", "changed")))
    change.mode = .preview
    return (found, try await user.run(change, in: workspace))
  }

  @Test(arguments: 0..<7) func aChangePlansWhatTheListingShows(number: Int) async throws {
    // All of them in `SelectionLongTests`.
    try await expectSameAccounts(
      number, Self.predicates.enumerated().filter { $0.offset % 8 == number }.map(\.element))
  }

  fileprivate func expectEveryPredicate(_ number: Int) async throws {
    try await expectSameAccounts(number, Self.predicates)
  }

  private func expectSameAccounts(_ number: Int, _ predicates: [String]) async throws {
    let user = try await ServedUser(on: Self.network.get())
    let (name, query) = Self.listings(of: try user.actor("alice"))[number]
    var found = 0
    for text in predicates {
      let predicate = try predicate(text)
      let shown = try await user.run(ListAccounts(query.narrowed(to: predicate)))
      #expect(shown.outcome.rows.interruption == nil, "\(name) where \(text)")
      let accounts = shown.rows.map(\.view.account)
      let selection = AccountSelection([.listing(query)], where: predicate)
      let (_, planned) = try await plan(selection, by: user) { .mute($0, .everything) }
      #expect(
        Set(planned.rows.map { $0.subject ?? "" }) == Set(accounts.map(\.description)),
        "\(name) where \(text)")
      found += accounts.count
      // At no more calls than those of the listing, and those of a plan for the same accounts.
      var spare = shown.calls
      if !accounts.isEmpty {
        let names = TargetStream(origins: accounts.map { .argument($0.description) })
        let (_, named) = try await plan(AccountSelection([.names(names)]), by: user) {
          .mute($0, .everything)
        }
        spare.merge(named.calls, uniquingKeysWith: +)
      }
      let excess = planned.calls.filter { $0.value > spare[$0.key, default: 0] }
      #expect(excess == [:], "\(name) where \(text)")
    }
    // A comparison of nothing proves nothing; the sandbox has no mutes.
    #expect(found > 0 || name == "mutes")
  }

  /// The date of a follow comes from its record where that was read, else from its key.
  @Test func aDateComesFromTheRecordOrElseFromItsKey() async throws {
    let user = try await ServedUser(on: Self.network.get())
    let me = try user.actor("alice")
    func sources(
      _ query: ListingQuery, where text: String? = nil, with details: Listings.Details = []
    ) async throws -> [DID: AccountView.DateSource?] {
      let query = try text.map { query.narrowed(to: try predicate($0)) } ?? query
      let rows = try await user.run(ListAccounts(query, details: details)).rows
      return Dictionary(rows.map { ($0.view.account, $0.view.sinceSource) }) { first, _ in first }
    }
    let following = try await sources(.follows(of: me, in: .bluesky))
    let (niaj, trent) = (try user.did("niaj"), try user.did("trent"))
    #expect(following[niaj] == .record && following[trent] == .key)
    let followers = ListingQuery.followers(of: me, in: .bluesky)
    let dated = try await sources(followers, where: "followed since 2020-01-01")
    #expect(!dated.isEmpty && dated.values.allSatisfy { $0 == .key })
    #expect(try await sources(followers).values.allSatisfy { $0 == nil })
  }

  @Test func aChangeTakesTheDateOfTheRecord() async throws {
    let user = try await ServedUser(on: Self.network.get())
    let early = try predicate("followed before 2021-01-01")
    let names = ["niaj.test", "judy.test", "trent.test"]
    let sources: [AccountSelection.Source] = [
      .listing(.follows(of: try user.actor("alice"), in: .bluesky)),
      // Named accounts are filtered by the same dates.
      .names(TargetStream(origins: names.map { .argument($0) })),
    ]
    for source in sources {
      let (_, planned) = try await plan(AccountSelection([source], where: early), by: user) { .unfollow($0) }
      #expect(planned.rows.map(\.input) == ["niaj.test"])
    }
  }

  /// An account that the AppView does not show cannot be "not following back", and yet it exists.
  @Test func anAccountThatIsNotShownIsLeftAlone() async throws {
    let user = try await ServedUser(on: Self.network.get())
    let (alice, bob) = (try user.did("alice"), try user.did("bob"))
    let follows = try NSID(parsing: "app.bsky.graph.follow")
    let subjects = user.network.records(of: alice, in: follows).map { $0.value["subject"]?.string }
    try #require(subjects.contains("\(bob)"))
    let listed = try await user.run(ListAccounts(.notFollowingBack(.did(alice))))
    #expect(listed.outcome.report.coverage.unseen >= 1)
    let source = AccountSelection([.listing(.notFollowingBack(.did(alice)))])
    let (_, planned) = try await plan(source, by: user) { .unfollow($0) }
    #expect(!planned.rows.isEmpty && !planned.rows.map(\.subject).contains("\(bob)"))
    // What such an account follows is unknown, whichever side it is on.
    for (actor, target, relation) in [(alice, bob, "followed-by"), (bob, alice, "following")] {
      var check = CheckRelationships(
        of: .did(actor), targets: TargetStream(origins: [.argument("\(target)")]))
      check.verification = .only([actor, target])
      check.predicate = try predicate(relation)
      let verdict = try await user.run(check).outcome.verdict
      #expect(verdict.answer == .failed(.unavailable), "\(relation)")
      let error = try #require(verdict.failures.first as? OperationError)
      #expect(error.code == .notShown, "\(relation)")
    }
    // "Profile not found" of an AppView is not "no such account" while directory and server know it.
    var check = CheckRelationships(
      of: .did(alice), targets: TargetStream(origins: [.argument("\(bob)")]))
    check.verification = .only([alice, bob])
    let verdict = try await user.run(check).outcome.verdict
    #expect(verdict.answer == .answered && verdict.hidden.count == 1)
    let nobody = try DID(parsing: "did:plc:aaaaaaaaaaaaaaaaaaaaaaaz")
    var states: [ChangeRow.State] = []
    for account in [bob, nobody] {
      let name = TargetStream(origins: [.argument("\(account)")])
      let (_, planned) = try await plan(AccountSelection([.names(name)]), by: user) { .block($0) }
      states += planned.rows.map(\.state)
    }
    #expect(states == [.planned, .notFound])
  }

  /// What one pass has learned, the next one does not ask for.
  @Test func aFilteredChangeAsksOnce() async throws {
    let user = try await ServedUser(on: Self.network.get())
    let query = ListingQuery.notFollowingBack(try user.actor("alice"))
    let early = try predicate("followed before 2024-02-01")
    let method = "app.bsky.graph.getRelationships"
    #expect(try await user.run(ListAccounts(query.narrowed(to: early))).calls[method] == 1)
    let selection = AccountSelection([.listing(query)], where: early)
    let (_, planned) = try await plan(selection, by: user) { .unfollow($0) }
    #expect((1...2).contains(planned.calls[method, default: 0]))
  }

  /// Promise 1: if a failing server hides accounts, or what a predicate needs, no account is selected.
  @Test func aFailedListingSelectsNothing() async throws {
    let user = try await ServedUser(on: Self.network.get())
    let failing = FailingMethods(network: user.network, methods: ["app.bsky.graph.getRelationships"])
    let me = try user.actor("alice")
    let names = TargetStream(origins: ["carol.test", "dave.test"].map { .argument($0) })
    for selection in [
      AccountSelection([.listing(.notFollowingBack(me))]),
      AccountSelection([.names(names)], where: try predicate("not mutual")),
    ] {
      let workspace = user.workspace(over: failing)
      let account = try await workspace.account()
      let error = await #expect(throws: (any Error).self) {
        try await workspace.accounts(of: selection, as: account) { _ in }
      }
      #expect(error.flatMap { FailureKind($0) } == .unavailable)
    }
  }
}

/// Every listing with every predicate.
@Suite struct SelectionLongTests {
  @Test(arguments: 0..<7) func aChangePlansWhatTheListingShows(number: Int) async throws {
    try await SelectionTests().expectEveryPredicate(number)
  }
}
