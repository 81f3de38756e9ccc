// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// A page of accounts: followers, follows, and what is made of them.
struct ListingPage {
  /// Accounts on one page.
  static let pageSize = 100

  static let sections: Set<Section> = [.followers, .following, .mutuals, .notFollowingBack, .blocked, .muted]

  let section: Section
  let account: AccountInUse
  let visit: Visit

  func response() async throws -> LocalResponse {
    let cursor = try visit.items["cursor"].map { text in
      guard let cursor = ListingCursor(text) else {
        throw DashboardError.invalid("cursor", "this is not where a page of a listing begins")
      }
      return cursor
    }
    let operation = ListAccounts(
      query, details: section == .blocked || section == .muted ? [] : [.relationship], limit: Self.pageSize,
      from: cursor)
    let run = try await GatheredRun(operation, in: account.workspace, most: Self.pageSize)
    return visit.page(section.title, of: account, in: section, content(run))
  }

  private var query: ListingQuery {
    let me = ATIdentifier.did(account.did)
    return switch section {
    case .following: ListingQuery(.follows(of: me))
    case .mutuals: .mutuals(of: me)
    case .notFollowingBack: .notFollowingBack(me)
    case .blocked: ListingQuery(.blocks(of: me))
    case .muted: ListingQuery(.mutes(of: me))
    default: ListingQuery(.followers(of: me))
    }
  }

  private func content(_ run: GatheredRun<ListAccounts>) -> HTML {
    let sentences = run.notes.compactMap { $0.note.sentence }
    let notes = (sentences + [run.outcome.interruption.map { Wording.words(for: $0) }].compactMap(\.self)).map {
      "<li>\($0)</li>" as HTML
    }
    guard !run.rows.isEmpty else {
      return "<section class=\"card\"><h2>No accounts</h2><p>\(emptyWords)</p></section>\(list(notes))"
    }
    return """
      <section class="card flush"><table class="tb" role="table"><caption class="vh">\(section.title)</caption>\
      <thead><tr role="row"><th role="columnheader" scope="col">Account</th><th role="columnheader" scope="col">Relationship</th>\
      <th role="columnheader" scope="col">Since</th></tr></thead>\
      <tbody>\(run.rows.map(row))</tbody></table>\
      <div class="tfoot"><span>\(Wording.neutral.listed(run.outcome, rows: run.rows.count))</span>\(next(run))</div></section>\
      \(list(notes))
      """
  }

  private func list(_ notes: [HTML]) -> HTML? { notes.isEmpty ? nil : "<ul class=\"m xs\">\(notes)</ul>" }

  private var emptyWords: String {
    switch section {
    case .following: "This account follows no one."
    case .mutuals: "No account follows this one and is followed by it."
    case .notFollowingBack: "All that this account follows follow it back."
    case .blocked: "This account blocks no one."
    case .muted: "This account mutes no one."
    default: "No account follows this one."
    }
  }

  private func row(_ row: AccountViewRow) -> HTML {
    let view = row.view
    let handle = view.handle?.description ?? view.account.description
    let name = view.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? handle
    return """
      <tr role="row"><td role="cell" class="acct"><span class="acc">\(AccountPicture.initials(of: name, view.account))\
      <span class="id grow"><span class="dn">\(guest: name)</span><span class="hd">\(guest: handle)</span></span></span></td>\
      <td role="cell">\(row.asksRelationship ? RelationshipWords.html(view.relationship) : HTML())</td>\
      <td role="cell" class="num">\(view.since.map { String($0.description.prefix(10)) } ?? "—")</td></tr>
      """
  }

  private func next(_ run: GatheredRun<ListAccounts>) -> HTML? {
    run.outcome.cursor.map { cursor in
      """
      <a class="b" rel="next" href="\(account.address(section.rawValue))?cursor=\(QueryItems.encoded("\(cursor)"))">Next \(Self.pageSize)\(Icon.right.html)</a>
      """
    }
  }
}

/// How the signed-in account knows another one, in a word and with its sign.
enum RelationshipWords {
  static func html(_ relationship: ViewerRelationship?) -> HTML {
    let (icon, words): (Icon, String) =
      switch relationship?.word {
      case nil: (.question, "Unknown")
      case .itself: (.at, "You")
      case .blockingEachOther: (.block, "You block each other")
      case .blocking: (.block, "Blocked")
      case .blockedBy: (.block, "Blocks you")
      case .mutual: (.swap, "Mutual")
      case .following: (.check, "Following")
      case .followedBy: (.incoming, "Follows you")
      case .some(.none): (.minus, "None")
      }
    let muted: HTML? = relationship?.muted == true ? "<span class=\"tag\">\(Icon.mute.html)Muted</span>" : nil
    return "<span class=\"line\"><span class=\"rel\">\(icon.html)\(words)</span>\(muted)</span>"
  }
}
