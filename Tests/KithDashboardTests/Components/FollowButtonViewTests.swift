// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithRelationships
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard
@testable import KithOperations

/// The one follow button of all pages, in each state and style.
@Suite struct FollowButtonViewTests {
  private let me = Accounts.did(0)
  private let other = Accounts.did(1)
  private let now = Datetime(at: 1_760_000_000_000_000)
  private let viewer: AccountInUse

  init() async throws {
    let user = try await ServedUser(on: FaultyNetwork(clock: ManualClock()))
    viewer = AccountInUse(AccountRow(did: me, session: nil, isCurrent: true), user.workspace())
  }

  private func uri(_ owner: DID, _ collection: String) throws -> ATURI {
    try ATURI(parsing: "at://\(owner)/app.bsky.graph.\(collection)/3l6oveex3ii2l")
  }

  private func html(
    _ button: FollowButton, styles: [FollowButtonView.Style] = [.standard], name: String = "Mira",
    count: Int?? = nil, failure: String? = nil
  ) -> String {
    let row = FollowButtonRow(view: AccountView(other), button: button, lists: [:], isItself: false)
    return FollowButtonView(
      row: row, name: name, viewer: viewer, styles: styles, count: count, failure: failure
    ).html.text
  }

  private func button(
    following: Bool = false, followedBy: Bool = false, blocking: String? = nil, isBlockedBy: Bool = false,
    _ state: ObservedRelationship.State = .fresh
  ) throws -> FollowButton {
    FollowButton(
      ObservedRelationship(
        RelationshipInfo(
          actor: me, target: other, following: following ? try uri(me, "follow") : nil,
          followedBy: followedBy ? try uri(other, "follow") : nil,
          blocking: try blocking.map { try uri(me, $0) },
          blockedBy: isBlockedBy ? try uri(other, "block") : nil, checkedAt: now, source: .appview), state))
  }

  /// A state, what the button says, what it does, and how it is named.
  private func states() throws -> [(FollowButton, state: String, parts: [String])] {
    var gone = FollowButton()
    gone.status = .deactivated
    var busy = try button()
    _ = busy.tap()
    var asking = try button()
    asking.policy = FriendPolicy(requiresApproval: true)
    asking.show(Friendship(asked: .none, askedBy: .none, isBlocked: false))
    let failed = RelationshipError(.networkError, detail: "no answer")
    return [
      (
        try button(), "follow",
        ["<span>Follow</span>", "value=\"follow \(other)\"", "Follow \u{2068}Mira\u{2069}\""]
      ),
      (
        try button(followedBy: true), "follow", ["Follow back", "value=\"follow \(other)\"", "Follows you\""]
      ),
      (
        try button(following: true), "following",
        ["Following", "value=\"unfollow \(other)\"", "Unfollow\"", ">Unfollow<", " un\""]
      ),
      (
        try button(following: true, followedBy: true), "mutual",
        ["Mutual", "value=\"unfollow \(other)\"", "follow each other. Unfollow\""]
      ),
      (asking, "follow", ["Ask to follow", "value=\"request \(other)\""]),
      (busy, "busy", ["Saving"]),
      (
        try button(blocking: "block"), "blocked",
        ["Blocked", "data-ask", "ask/unblock/\(other)", ". Unblock\""]
      ),
      (
        try button(blocking: "list"), "bylist",
        ["Blocked by list", "https://bsky.app/profile/\(me)/lists/", ". Open list\""]
      ),
      (try button(isBlockedBy: true), "blocksyou", ["<span class=\"fb st\"", "Blocks you"]),
      (gone, "gone", ["<span class=\"fb st\"", "Deactivated"]),
      (
        FollowButton(ObservedRelationship(nil, .failed(failed))), "unknown",
        ["Unknown", "value=\"check \(other)\"", "Check again\""]
      ),
    ]
  }

  @Test func eachStateHasItsWordsAndItsAction() throws {
    for (button, state, parts) in try states() {
      let html = html(button)
      for part in ["data-s=\"\(state)\"", "data-fb=\"\(other)\"", "aria-label=\"", "<svg class=\"i"] + parts {
        #expect(html.contains(part), "\(state) lacks \(part): \(html)")
      }
      #expect(
        html.contains("value=\"") == !["blocked", "bylist", "blocksyou", "gone", "busy"].contains(state)
          || state == "busy")
    }
  }

  @Test func aTapSaysAtOnceWhatItLeadsTo() throws {
    #expect(html(try button()).contains("data-next=\"Following\""))
    #expect(html(try button(followedBy: true)).contains("data-next=\"Mutual\""))
    #expect(html(try button(following: true)).contains("data-next=\"Follow\""))
    #expect(html(try button(following: true, followedBy: true)).contains("data-next=\"Follow back\""))
  }

  @Test func stylesAreClassesOfOneComponent() throws {
    for style in FollowButtonView.Style.allCases {
      let html = html(try button(), styles: [style])
      #expect(html.contains(style == .standard ? "class=\"fb\"" : "class=\"fb \(style.rawValue)\""))
      #expect(html.contains("data-styles=\"\(style.rawValue)\""))
    }
    #expect(html(try button(), styles: FollowButtonView.Style.row).contains("class=\"fb compact outlined\""))
  }

  @Test func anUnknownCountIsADash() throws {
    #expect(html(try button(), count: .some(12_480)).contains(">12,480</span>"))
    #expect(html(try button(), count: .some(nil)).contains(">—</span>"))
    #expect(html(try button(), count: .some(0)).contains(", 0 followers\""))
    #expect(!html(try button()).contains("class=\"ct\""))
  }

  @Test func aStrangersNameStaysAText() throws {
    let html = html(try button(), name: "\"><script>\u{202E}x", failure: "<b>")
    #expect(!html.contains("<script>") && !html.contains("\u{202E}") && !html.contains("<b>"))
    #expect(html.contains("role=\"alert\""))
  }

  @Test func theOwnAccountHasNoButton() {
    let row = FollowButtonRow(view: AccountView(me), button: FollowButton(), lists: [:], isItself: true)
    #expect(!FollowButtonView(row: row, name: "Me", viewer: viewer).html.text.contains("<button"))
  }
}
