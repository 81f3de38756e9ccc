// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard

/// People who may be worth a follow, as a browser sees them.
@Suite(.timeLimit(.minutes(1))) struct DiscoverPageTests {
  private let network = FaultyNetwork()
  private let user: ServedUser
  private let visitor: Visitor

  init() async throws {
    user = try await ServedUser(on: network)
    visitor = try await Visitor(Dashboard(user.workspace(), at: DashboardPlace(port: 4_000)), port: 4_000)
  }

  private func page(_ query: String = "") async throws -> String {
    let response = await visitor.get("/@alice.test/discover\(query)")
    #expect(response.status == 200)
    return try await response.page
  }

  private func people(in page: String) -> [String] {
    page.matches(of: /data-person="([^"]+)"/).map { String($0.1) }
  }

  @Test(arguments: [
    ("recommended", FindPeople.Source.recommended), ("suggested", .suggested), ("recent", .recent),
    ("popular", .popular), ("nearby", .nearby),
  ])
  func eachKindShowsThePeopleOfTheOperation(kind: String, source: FindPeople.Source) async throws {
    let page = try await page("?by=\(kind)")
    let rows = try await user.run(FindPeople(source)).rows
    #expect(!rows.isEmpty && people(in: page) == rows.map { "\($0.view.account)" })
    #expect(page.matches(of: /aria-current="page">(For you|Suggested|Recent|Popular|Nearby)</).count == 1)
    let dismissable = ["recommended", "suggested", "nearby"].contains(kind)
    #expect(page.contains("name=\"dismiss\"") == dismissable)
    for reasons in page.matches(of: /<ul class="pts">(.*?)<\/ul><div class="line sp n">/) {
      #expect(reasons.1.ranges(of: "<li>").count <= 3, "\(reasons.1)")
    }
  }

  @Test func reasonsSayWhoFollowsThem() async throws {
    let page = try await page()
    #expect(page.contains(" accounts that you follow, among them <bdi>"))
    #expect(
      page.contains("Nearby</b> means close in the network") && page.contains("Kith knows no location."))
  }

  @Test func aSearchFindsByNameWhateverKindIsChosen() async throws {
    for query in ["?q=carol", "?by=nearby&q=+carol+", "?by=search&q=carol"] {
      let page = try await page(query)
      #expect(people(in: page) == ["\(try user.did("carol"))"] && page.contains("value=\"carol\""))
      #expect(page.contains("aria-current=\"page\">Search</a>"))
    }
    let carol = try await page("?q=carol")
    #expect(carol.contains("data-s=\"following\"") && carol.contains("class=\"fb compact outlined un\""))
    #expect(carol.matches(of: /data-count="[^"]+ followers" aria-live="polite">[0-9,]+</).count == 1)
  }

  @Test func aSearchThatFindsNoOneShowsWhatWasSearchedFor() async throws {
    let page = try await page("?q=%3Cscript%3Exyzzy")
    #expect(page.contains("No one found") && page.contains("“<bdi>&lt;script&gt;xyzzy</bdi>”"))
    #expect(!page.contains("<script>xyzzy"))
    #expect(try await self.page("?by=search").contains("Type a part of a name"))
  }

  @Test func aScriptGetsThePeopleAlone() async throws {
    let response = await visitor.get("/@alice.test/discover?q=carol&part=people")
    let text = response.text
    #expect(text.hasPrefix("<div id=\"people\">") && !text.contains("<html"))
    #expect(people(in: text) == ["\(try user.did("carol"))"] && text.contains("data-sentence"))
  }

  @Test func theToolsComeBeforeThePeople() async throws {
    let pieces = try await visitor.get("/@alice.test/discover?by=nearby").pieces
    try #require(pieces.count == 2)
    #expect(pieces[0].contains("name=\"q\"") && pieces[0].contains("Looking at the newest follows"))
    #expect(people(in: pieces[0]).isEmpty && !people(in: pieces[1]).isEmpty)
  }

  @Test func moreAreLoadedInSteps() async throws {
    let user = try await ServedUser(on: FaultyNetwork(accounts: 400))
    let visitor = try await Visitor(Dashboard(user.workspace(), at: DashboardPlace(port: 4_000)), port: 4_000)
    let first = try await visitor.get("/@alice.test/discover?by=nearby").page
    #expect(people(in: first).count == 25)
    #expect(first.contains("href=\"/@alice.test/discover?by=nearby&amp;most=50\" data-more"))
    let second = try await visitor.get("/@alice.test/discover?by=nearby&most=50").page
    #expect(people(in: second).count == 50 && people(in: second).starts(with: people(in: first)))
    let all = try await visitor.get("/@alice.test/discover?by=nearby&most=200").page
    #expect(people(in: all).count > 50 && !all.contains("data-more"), "that is the most")
  }

  @Test func whoIsDismissedIsNotSuggestedUntilThatIsTakenBack() async throws {
    let first = try #require(people(in: try await page("?by=suggested")).first)
    let back = "/@alice.test/discover?by=suggested"
    let dismissed = await visitor.post(
      "/@alice.test/discover/dismiss", form: ["dismiss": first, "back": back])
    #expect(dismissed.status == 303 && dismissed.location == back)
    let without = try await page("?by=suggested")
    #expect(!people(in: without).contains(first))
    #expect(without.contains("name=\"again\" value=\"\(first)\"") && without.contains("1 dismissed"))
    let toast = await visitor.post(
      "/@alice.test/discover/dismiss", form: ["again": first, "back": back, "part": "toast"])
    #expect(toast.text.contains("may be suggested again.") && toast.text.contains("id=\"dismissed\""))
    #expect(toast.text.contains("name=\"dismiss\" value=\"\(first)\">Undo<"))
    #expect(people(in: try await page("?by=suggested")).first == first)
  }

  @Test(
    arguments: [["x": "1"], ["dismiss": "bob.test"], ["again": ""], ["dismiss": "<script>"]]
      as [KeyValuePairs<String, String>])
  func aWrongDismissalIsRefused(items: KeyValuePairs<String, String>) async throws {
    let response = await visitor.post("/@alice.test/discover/dismiss", form: items)
    #expect(response.status == 400 && !response.text.contains("<script>\""), "\(response.text)")
    #expect(try await user.run(ListDismissedPeople()).rows.isEmpty)
  }

  @Test func whatFailsLeavesTheRestOfThePage() async throws {
    let failing = FailingMethods(network: network, methods: ["app.bsky.actor.getSuggestions"])
    let visitor = try await Visitor(
      Dashboard(user.workspace(over: failing), at: DashboardPlace(port: 4_000)), port: 4_000)
    let page = try await visitor.get("/@alice.test/discover?by=suggested").page
    #expect(page.contains("<b>No people could be found.</b>") && page.contains("role=\"alert\""))
    #expect(page.contains("How suggestions are made") && page.contains("id=\"dismissed\""))
    let part = await visitor.get("/@alice.test/discover?by=suggested&part=people")
    #expect(part.status == 502 && part.text.contains("role=\"alert\""))
  }

  @Test func aHostileNameHasNoEffect() async throws {
    let renamed = RenamedAccount(network: network, name: "Carol")
    let visitor = try await Visitor(
      Dashboard(user.workspace(over: renamed), at: DashboardPlace(port: 4_000)), port: 4_000)
    #expect(RenamedAccount.isHarmless(in: try await visitor.get("/@alice.test/discover?q=carol").page))
  }

  @Test func whoFollowsNoOneIsLedOn() async throws {
    try await user.signIn("niaj")
    let page = try await visitor.get("/@niaj.test/discover").page
    #expect(people(in: page).isEmpty && page.contains("No one is close yet"))
    #expect(page.contains("href=\"/@niaj.test/discover?by=suggested\">See what the AppView suggests"))
  }
}
