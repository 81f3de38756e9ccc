// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithOperations
import KithRelationships
import KithWording

/// A request that waits for an answer.
struct InboxRow {
  /// An end is amber from here on.
  private static let soon = Duration.seconds(2 * 86_400)
  /// The age below which it is said that an account is young, in days.
  private static let youngest = 30

  let row: FriendRequestRow
  let viewer: AccountInUse

  static let head: HTML = """
    <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="w0"><span class="hit"><input class="ck" type="checkbox" \
    id="select-all" aria-label="Select all that are shown" hidden></span></th><th role="columnheader" scope="col">From</th>\
    <th role="columnheader" scope="col">Asks for</th><th role="columnheader" scope="col">Age</th>\
    <th role="columnheader" scope="col"><span class="vh">Answer</span></th></tr></thead>
    """

  private var now: Instant { viewer.workspace.time.instant }
  private var account: DID { row.view.account }

  private var answers: HTML {
    let name = AccountCell.name(of: row.view)
    // The version that is shown is the one that is answered.
    let target = NamedTarget(account.description, version: row.request.cid)
    let accept = AnswerButton(
      change: .accept, target: target, name: name, icon: .check, result: "Accepted")
    let decline = AnswerButton(change: .decline, target: target, name: name, result: "Declined")
    return "<span class=\"line n\" data-answers>\(accept.html)\(decline.html)</span>"
  }

  /// An item of a list, without a box to select it.
  var item: HTML {
    """
    <li data-row="\(account.description)">\(Icon.inbox.html)<div class="grow">\(AccountCell(view: row.view, viewer: viewer, isSmall: true).html)\
    <div class="m xs">\(row.request.kind.words(isOwn: false)), asked \(PageTime.relative(row.request.createdAt, to: now))</div></div>\(answers)</li>
    """
  }

  /// A row of the inbox.
  var html: HTML {
    let name = AccountCell.name(of: row.view)
    return """
      <tr role="row" data-row="\(account.description)"><td role="cell" class="w0 ckc"><span class="hit"><input class="ck" type="checkbox" name="actor" \
      value="\(account.description) \(row.request.cid.description)" form="\(FollowButtonView.form)" aria-label="Select \(guestValue: name)"></span></td>\
      <td role="cell" class="acct">\(AccountCell(view: row.view, viewer: viewer).html)</td>\
      <td role="cell" class="full">\(row.request.kind.words(isOwn: false))<div class="m xs">\(closeness)</div></td>\
      <td role="cell" class="full meta nw"><span class="l">Asked </span>\(PageTime.relative(row.request.createdAt, to: now))\(end)</td>\
      <td role="cell" class="full r">\(answers)</td></tr>
      """
  }

  /// How the two are related, and what else helps to decide.
  private var closeness: HTML {
    if row.request.kind == .follow, row.relationship?.isFollowedBy == true {
      return "Follows you already: the follow stays either way"
    }
    var parts: [HTML] = []
    switch row.relation {
    case "mutual": parts.append("Mutual")
    case "following": parts.append("You follow them")
    case "follower": parts.append("Follows you")
    case "none": parts.append("You do not follow each other")
    default: parts.append("Relationship unknown")
    }
    if let known = row.view.relationship?.knownFollowers {
      parts.append(
        known == 0
          ? "no account that you follow follows them"
          : "followed by \(Figure.words(known)) that you follow")
    }
    if let days = age, days <= Self.youngest {
      parts.append(
        days < 1 ? "the account was made today" : "the account is \(Counted.words(days, "day")) old")
    }
    return parts.enumerated().reduce(into: HTML()) { html, part in
      html += part.offset == 0 ? part.element : ", \(part.element)"
    }
  }

  /// How old the account is, in days; nil if that is unknown.
  private var age: Int? {
    row.view.createdAt.map { Int((now - $0.instant).components.seconds / 86_400) }.flatMap {
      $0 >= 0 ? $0 : nil
    }
  }

  private var end: HTML {
    guard let end = row.request.expiresAt else { return "<div class=\"xs m\">no end</div>" }
    return end.instant - now <= Self.soon
      ? "<div class=\"xs warn\">ends \(PageTime.relative(end, to: now))</div>"
      : "<div class=\"xs m\">ends \(PageTime.day(end))</div>"
  }
}
