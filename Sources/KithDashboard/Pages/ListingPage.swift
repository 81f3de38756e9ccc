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

  func response(_ listings: OpenListings) async throws -> LocalResponse {
    let start = try APIParameters(visit.items).number("from", upTo: OpenListing.mostRows) ?? 1
    let operation = ListAccounts(
      query, details: section == .blocked || section == .muted ? [] : [.relationship])
    let listing = listings.listing("\(account.did) \(section.rawValue)", again: start == 1) {
      OpenListing(operation, in: account.workspace)
    }
    let page = try await listing.page(from: start - 1, most: Self.pageSize)
    return visit.page(section.title, of: account, in: section, content(page, from: start))
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

  private func content(_ page: OpenListing.Page, from start: Int) -> HTML {
    var sentences = page.notes.compactMap { $0.note.sentence }
    if let error = page.outcome?.interruption { sentences.append(Wording.words(for: error)) }
    if page.isCut { sentences.append("More than \(Figure.words(OpenListing.mostRows)) are not shown here.") }
    let notes = sentences.map { "<li>\($0)</li>" as HTML }
    guard !page.rows.isEmpty else {
      let words = start > 1 ? "The listing has no row \(Figure.words(start))." : emptyWords(page)
      let first: HTML? =
        start > 1 ? "<p><a class=\"b\" href=\"\(address(1))\">First page</a></p>" : nil
      return "<section class=\"card\"><h2>No accounts</h2><p>\(words)</p>\(first)</section>\(list(notes))"
    }
    // The AppView lists followers without dates.
    let hasDates = page.rows.contains { $0.view.since != nil }
    return """
      <section class="card flush"><table class="tb" role="table"><caption class="vh">\(section.title)</caption>\
      <thead><tr role="row"><th role="columnheader" scope="col">Account</th><th role="columnheader" scope="col">Relationship</th>\
      \(hasDates ? Self.sinceHead : nil)</tr></thead>\
      <tbody>\(page.rows.map { row($0, withDate: hasDates) })</tbody></table>\
      <div class="tfoot"><span>\(range(page, from: start))</span>\(pager(page, from: start))</div></section>\
      \(list(notes))
      """
  }

  /// Which rows are shown, and of how many if that is known.
  private func range(_ page: OpenListing.Page, from start: Int) -> String {
    let rows = "Rows \(Figure.words(start))–\(Figure.words(start + page.rows.count - 1))"
    // One that was broken off has more.
    guard let outcome = page.outcome, outcome.interruption == nil else { return rows }
    return "\(rows) of \(Figure.words(outcome.rows.count)) that can be listed"
  }

  private func list(_ notes: [HTML]) -> HTML? { notes.isEmpty ? nil : "<ul class=\"m xs\">\(notes)</ul>" }

  private func emptyWords(_ page: OpenListing.Page) -> String {
    guard page.outcome?.ending == .done else { return "No account could be listed." }
    return switch section {
    case .following: "This account follows no one."
    case .mutuals: "No account follows this one and is followed by it."
    case .notFollowingBack: "All that this account follows follow it back."
    case .blocked: "This account blocks no one."
    case .muted: "This account mutes no one."
    default: "No account follows this one."
    }
  }

  private static let sinceHead: HTML = "<th role=\"columnheader\" scope=\"col\">Since</th>"

  private func row(_ row: AccountViewRow, withDate hasDate: Bool) -> HTML {
    let view = row.view
    let handle = view.handle?.description ?? view.account.description
    let name = view.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? handle
    return """
      <tr role="row"><td role="cell" class="acct"><span class="acc">\(AccountPicture.initials(of: name, view.account))\
      <span class="id grow"><span class="dn">\(guest: name)</span><span class="hd">\(guest: handle)</span></span></span></td>\
      <td role="cell">\(row.asksRelationship ? RelationshipWords.html(view.relationship) : HTML())</td>\
      \(hasDate ? since(view) : nil)</tr>
      """
  }

  private func since(_ view: AccountView) -> HTML {
    "<td role=\"cell\" class=\"num\">\(view.since.map { PageTime.html($0) } ?? "—")</td>"
  }

  private func pager(_ page: OpenListing.Page, from start: Int) -> HTML {
    let former: HTML? =
      start > 1
      ? "<a class=\"b\" rel=\"prev\" href=\"\(address(max(1, start - Self.pageSize)))\">\(Icon.left.html)Previous</a>"
      : nil
    let next: HTML? =
      page.hasNext
      ? "<a class=\"b\" rel=\"next\" href=\"\(address(start + Self.pageSize))\">Next\(Icon.right.html)</a>"
      : nil
    return "<span class=\"line\">\(former)\(next)</span>"
  }

  private func address(_ start: Int) -> String {
    account.address(section.rawValue) + (start > 1 ? "?from=\(start)" : "")
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
