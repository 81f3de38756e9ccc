// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// The friend requests that the account has sent, and what became of them.
struct SentPage {
  private static let mostRows = 500

  private let account: AccountInUse
  private let visit: Visit

  init(_ visit: Visit) throws { (account, self.visit) = (try visit.account(), visit) }

  private var now: Instant { account.workspace.time.instant }

  var response: LocalResponse {
    SlowPage(
      title: "Requests", subtitle: "What you have asked others", account: account, section: .requests,
      actions: FriendTab.askSomeone(account), tools: FriendTab.sent.tabs(of: account),
      waiting: "Asking the servers of those you have asked what became of it."
    ).response(visit) { try await content() }
  }

  private func content() async throws -> HTML {
    let run = try await GatheredRun(
      ListSentRequests(by: .did(account.did)), in: account.workspace, most: Self.mostRows,
      failingEmpty: false)
    var parts: [HTML] = []
    if let error = run.outcome.interruption {
      let sentence: HTML = "<b>Some answers are unknown.</b> \(Failure(error).sentence)"
      parts.append(Notice(kind: .warn, sentence: sentence).html)
    }
    if run.outcome.unreadable > 0 {
      parts.append(
        Notice(
          kind: .warn, sentence: "\(Counted.words(run.outcome.unreadable, "record")) could not be understood."
        ).html)
    }
    if !run.rows.isEmpty {
      parts.append(card(run))
    } else if run.outcome.interruption == nil {
      parts.append(
        EmptyState(
          title: "You have not asked anyone",
          sentence: "A profile offers in its menu to ask its account to be friends.",
          wayOn: "<a class=\"b\" href=\"\(account.address("discover"))\">Discover people</a>"
        ).html)
    }
    return "<div class=\"stack l\">\(parts)</div>\(FriendTab.sent.form(of: account, visit))"
  }

  private func card(_ run: GatheredRun<FriendRequestRow, ListSentRequests.Outcome>) -> HTML {
    let more: HTML? =
      run.isCut ? " The newest \(Figure.words(Self.mostRows)) are shown; there are more." : nil
    return """
      <section class="card" aria-label="Sent"><header><h2>Sent</h2><span class="m xs">\(Counted.words(run.rows.count, "request")), \
      read \(PageTime.html(Datetime(at: now)))</span></header><ul class="list rule wrapl w3">\(run.rows.map(row))</ul>\
      <p class="m xs">“No answer” covers not seen and declined. No one can tell the two apart, Kith included.\(more)</p></section>
      """
  }

  private func row(_ row: FriendRequestRow) -> HTML {
    let (state, detail) = words(row)
    return """
      <li data-row="\(row.view.account.description)">\(AccountCell(view: row.view, viewer: account).html)<div class="grow s nr"><div>\(state)</div>\
      <div class="m xs">\(row.request.kind.words(isOwn: true)): \(detail)</div></div><span data-answers>\(action(row))</span></li>
      """
  }

  /// What became of a request, and more about it.
  private func words(_ row: FriendRequestRow) -> (state: HTML, detail: HTML) {
    let asked: HTML = "asked \(PageTime.relative(row.request.createdAt, to: now))"
    switch row.state {
    case .open:
      let end: HTML? = row.request.expiresAt.map { ", ends \(PageTime.day($0))" }
      return ("<span class=\"m\">No answer yet</span>", "\(asked)\(end)")
    case .accepted:
      let time: HTML? = row.answer.map { " \(PageTime.html($0.createdAt))" }
      return (
        "<span class=\"good\">Accepted\(time)</span>",
        row.request.kind == .friend ? "you are friends now" : "you may follow them"
      )
    case .expired:
      let time: HTML? = row.request.expiresAt.map { " on \(PageTime.day($0))" }
      return ("<span class=\"m\">Ended\(time)</span>", "no answer in time, you can ask again")
    case .void: return ("<span class=\"bad\">Without effect</span>", "one of you blocks the other")
    case .unknown: return ("Unknown", "their server did not say, \(asked)")
    }
  }

  private func action(_ row: FriendRequestRow) -> HTML {
    let (target, name) = (NamedTarget(row.view.account.description), AccountCell.name(of: row.view))
    switch row.state {
    case .open, .void:
      return AnswerButton(
        change: .cancel, target: target, name: name, icon: .x, result: "Withdrawn"
      ).html
    case .expired:
      let change: AccountChange = row.request.kind == .friend ? .befriend : .request
      return AnswerButton(
        change: change, target: target, name: name, icon: .refresh, result: "Asked", title: "Ask again"
      ).html
    case .accepted:
      guard row.request.kind == .friend else { return HTML() }
      return """
        <a class="b q sm" href="\(account.address(FriendTab.friends.rawValue))" aria-label="See \(guestValue: name) among your friends">See friends</a>
        """
    case .unknown:
      return """
        <a class="b q sm" href="" aria-label="Check again: \(guestValue: name)">\(Icon.refresh.html)Check again</a>
        """
    }
  }
}
