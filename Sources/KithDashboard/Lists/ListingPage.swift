// SPDX-License-Identifier: Apache-2.0

import KithClient
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

  static let sections: Set<Section> = [
    .followers, .following, .mutuals, .notFollowingBack, .notFollowedBack, .blocked, .muted,
  ]
  /// What is shown of any account.
  static let publicSections: [Section] = [.followers, .following]

  private let request: ListingRequest
  private let visit: Visit

  init(_ section: Section, _ visit: Visit) throws {
    (request, self.visit) = (try ListingRequest(section, visit), visit)
  }

  private var account: AccountInUse { request.account }
  private var section: Section { request.section }

  func response(_ listings: OpenListings) async throws -> LocalResponse {
    let start = try APIParameters(visit.items).number("from", upTo: OpenListing.mostRows) ?? 1
    let operation: ListAccounts
    do { operation = try await request.operation() } catch let error as OperationError
      where error.code == .invalidPredicate
    {
      return response(under: nil, Self.faulty(error))
    }
    let listing = listings.listing(request.key, again: start == 1) {
      OpenListing(operation, in: account.workspace)
    }
    let page = try await listing.page(from: start - 1, most: Self.pageSize)
    let rows = try await account.followButtons(
      of: page.rows.map(\.view.account), askingAgain: start == 1)
    let shown = zip(page.rows.indices, page.rows).map { place, row in
      ListingRow(
        row: row, button: rows[row.view.account], number: start + place, section: section, viewer: account)
    }
    return response(under: summary(page), content(shown, page, from: start))
  }

  private func response(under subtitle: HTML?, _ content: HTML) -> LocalResponse {
    let tools = ListingTools(request, visit).html
    return visit.page(
      request.title, of: account, in: section, under: subtitle, isWide: true,
      "\(tools)<div class=\"stack l\">\(content)</div>")
  }

  private static func faulty(_ error: OperationError) -> HTML {
    Notice(kind: .bad, sentence: "<b>The filter cannot be read.</b> \(Failure(error).sentence)").html
  }

  // MARK: Content

  /// How many rows there are, as far as they were read.
  private func summary(_ page: OpenListing.Page) -> HTML? {
    guard let outcome = page.outcome, outcome.interruption == nil else { return nil }
    let source: HTML = outcome.source == .daemon ? "the daemon" : "the AppView"
    let count = Counted.words(outcome.rows.count, "account")
    return "\(count) listed by \(source), \(PageTime.html(Datetime(at: account.workspace.time.instant)))"
  }

  private func content(_ rows: [ListingRow], _ page: OpenListing.Page, from start: Int) -> HTML {
    var sentences = page.notes.compactMap { $0.note.sentence }
    if let error = page.outcome?.interruption { sentences.append(Wording.words(for: error)) }
    if page.isCut { sentences.append("More than \(Figure.words(OpenListing.mostRows)) are not shown here.") }
    let notes: HTML? =
      sentences.isEmpty ? nil : "<ul class=\"m xs\">\(sentences.map { "<li>\($0)</li>" as HTML })</ul>"
    guard !rows.isEmpty else { return "\(emptyState(page, from: start))\(notes)" }
    let columns = ListingRow.Columns(of: page.rows.map(\.view), in: section)
    return """
      <div><section class="card flush" aria-label="\(section.title)" data-endless><table class="tb pk" role="table" \
      aria-rowcount="\(page.outcome?.rows.count ?? -1)"><caption class="vh">\(section.title)</caption>\
      \(ListingRow.head(columns))<tbody role="rowgroup" data-from="\(start)">\(rows.map { $0.html(columns) })</tbody></table>\
      <div class="tfoot"><span>\(range(page, from: start))</span>\(pager(page, from: start))</div></section>\
      \(SelectionBar(request, visit).html)</div>\(notes)
      """
  }

  /// Which rows are shown, and of how many if that is known.
  private func range(_ page: OpenListing.Page, from start: Int) -> String {
    let rows = "Rows \(Figure.words(start))–\(Figure.words(start + page.rows.count - 1))"
    // One that was broken off has more.
    guard let outcome = page.outcome, outcome.interruption == nil else { return rows }
    return "\(rows) of \(Figure.words(outcome.rows.count)) that can be listed"
  }

  private func pager(_ page: OpenListing.Page, from start: Int) -> HTML {
    let former: HTML? =
      start > 1
      ? "<a class=\"b\" rel=\"prev\" href=\"\(request.address(from: max(1, start - Self.pageSize)))\">\(Icon.left.html)Previous</a>"
      : nil
    let next: HTML? =
      page.hasNext
      ? "<a class=\"b\" rel=\"next\" href=\"\(request.address(from: start + Self.pageSize))\">Next\(Icon.right.html)</a>"
      : nil
    return "<span class=\"line\">\(former)\(next)</span>"
  }

  private func emptyState(_ page: OpenListing.Page, from start: Int) -> HTML {
    if start > 1 {
      return EmptyState(
        title: "No accounts", sentence: "The listing has no row \(Figure.words(start)).",
        wayOn: "<a class=\"b\" href=\"\(request.address())\">First page</a>"
      ).html
    }
    guard page.outcome?.ending == .done else {
      return EmptyState(
        title: "No accounts", sentence: "No account could be listed.",
        wayOn: "<a class=\"b\" href=\"\(request.address())\">Try again</a>"
      ).html
    }
    if request.isNarrowed {
      return EmptyState(
        title: "No account matches", sentence: "Accounts whose answer is unknown are never matched.",
        wayOn: "<a class=\"b\" href=\"\(request.plainAddress)\">Show all</a>"
      ).html
    }
    let discover: HTML = "<a class=\"b\" href=\"\(account.address("discover"))\">Discover people</a>"
    let (sentence, wayOn): (HTML, HTML?) =
      switch section {
      case .following: ("This account follows no one.", request.isOwn ? discover : nil)
      case .mutuals: ("No account follows this one and is followed by it.", discover)
      case .notFollowingBack: ("All that this account follows follow it back.", nil)
      case .notFollowedBack: ("This account follows all its followers back.", nil)
      case .blocked: ("This account blocks no one. A block is made in the menu of a profile.", nil)
      case .muted: ("This account mutes no one. A mute is made in the menu of a profile.", nil)
      default: ("No account follows this one.", request.isOwn ? discover : nil)
      }
    return EmptyState(title: "No accounts", sentence: sentence, wayOn: wayOn).html
  }
}
