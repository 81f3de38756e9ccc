// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// The friends of the account, newest first, then its mutuals.
struct FriendsPage {
  private static let usualLimit = 50
  private static let mostRows = 1_000

  private let account: AccountInUse
  private let visit: Visit
  private let most: Int

  /// - Throws: ``DashboardError`` for a wrong number, and as `Visit.account()`.
  init(_ visit: Visit) throws {
    (account, self.visit) = (try visit.account(), visit)
    most = try APIParameters(visit.items).number("most", upTo: Self.mostRows) ?? Self.usualLimit
  }

  var response: LocalResponse {
    SlowPage(
      title: "Friends", subtitle: "Friends by consent, then accounts that you follow and that follow you",
      account: account, section: .requests, actions: FriendTab.askSomeone(account),
      tools: FriendTab.friends.tabs(of: account),
      waiting: "Checking each friendship in the records of both accounts."
    ).response(visit) { try await content() }
  }

  private func content() async throws -> HTML {
    // One more than is shown tells whether there are more.
    let run = try await GatheredRun(
      ListFriends(of: .did(account.did), limit: most + 1), in: account.workspace, most: most,
      failingEmpty: false)
    let known = try await account.followButtons(of: run.rows.map(\.view.account), askingAgain: true)
    var parts: [HTML] = []
    if let error = run.outcome.interruption {
      let sentence: HTML = "<b>Some friends may be missing.</b> \(Failure(error).sentence)"
      parts.append(Notice(kind: .warn, sentence: sentence).html)
    }
    if !run.rows.isEmpty {
      parts.append(card(run, known))
    } else if run.outcome.interruption == nil {
      parts.append(
        EmptyState(
          title: "No friends yet",
          sentence:
            "Two accounts are friends when one has asked and the other has accepted. A profile offers in its menu to ask.",
          wayOn: "<a class=\"b\" href=\"\(account.address("discover"))\">Discover people</a>"
        ).html)
    }
    return "<div class=\"stack l\">\(parts)</div>\(FriendTab.friends.form(of: account, visit))"
  }

  private func card(
    _ run: GatheredRun<FriendRow, ListFriends.Outcome>, _ buttons: [DID: FollowButtonRow]
  ) -> HTML {
    let undecided: HTML? =
      run.outcome.undecided > 0
      ? " Of \(Counted.words(run.outcome.undecided, "account")) it is unknown whether they are friends." : nil
    return """
      <section class="card" aria-label="Friends"><header><h2>Friends</h2><span class="m xs">\(count(run)), checked \
      \(PageTime.html(Datetime(at: account.workspace.time.instant)))</span></header>\
      <ul class="list rule wrapl two">\(run.rows.map { row($0, buttons[$0.view.account]) })</ul>\(more(run))\
      <p class="m xs">A friendship counts while the request and its acceptance exist.\(undecided)</p></section>
      """
  }

  private func count(_ run: GatheredRun<FriendRow, ListFriends.Outcome>) -> String {
    let friends = run.rows.count { $0.basis == .consent }
    let mutuals = run.rows.count - friends
    let words = "\(Counted.words(friends, "friend")) by consent, \(Counted.words(mutuals, "other mutual"))"
    return run.isCut ? "The first \(Figure.words(run.rows.count)): \(words)" : words
  }

  private func more(_ run: GatheredRun<FriendRow, ListFriends.Outcome>) -> HTML? {
    guard run.isCut else { return nil }
    let next = min(Self.mostRows, most * 2)
    let link: HTML? =
      next > most
      ? "<a class=\"b sm\" href=\"\(account.address(FriendTab.friends.rawValue))?most=\(next)\">Show more</a>"
      : nil
    return """
      <p class="line">\(link)<a class="b q sm" href="\(account.address(Section.mutuals.rawValue))">All mutuals</a></p>
      """
  }

  private func row(_ row: FriendRow, _ button: FollowButtonRow?) -> HTML {
    let (account, name) = (row.view.account, AccountCell.name(of: row.view))
    let isFriend = row.basis == .consent
    let tag = isFriend ? Badges.html(.check, "Friends", "ok") : Badges.html(.swap, "Mutual", "mut")
    let since: HTML? = row.since.map {
      "<span class=\"m xs\">since \(PageTime.day($0))</span>"
    }
    let follow = button.map {
      FollowButtonView(row: $0, name: name, viewer: viewer, styles: FollowButtonView.Style.row).html
    }
    return """
      <li data-row="\(account.description)">\(AccountCell(view: row.view, viewer: viewer).html)<div class="grow s nr"><span class="line">\(tag)\(since)</span></div>\
      <span class="line n">\(follow)\(menu(account, name, isFriend: isFriend))</span></li>
      """
  }

  private var viewer: AccountInUse { account }

  private func menu(_ other: DID, _ name: String, isFriend: Bool) -> HTML {
    let back = QueryItems.encoded(account.address(FriendTab.friends.rawValue))
    let item: HTML =
      isFriend
      ? """
      <a data-ask href="\(account.address("ask/remove/\(other)"))?back=\(back)">\(Icon.people.html)<span>End friendship<small>The records of it are deleted</small></span></a>
      """
      : """
      <button form="\(FollowButtonView.form)" name="do" value="\(AccountChange.befriend.rawValue) \(other.description)">\(Icon.plus.html)\
      <span>Ask to be friends<small>A public record</small></span></button>
      """
    return """
      <details class="drop"><summary class="b ic" aria-label="More actions for \(guestValue: name)">\(Icon.more.html)</summary>\
      <ul class="menu"><li>\(item)</li></ul></details>
      """
  }
}
