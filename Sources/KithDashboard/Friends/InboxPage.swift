// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// The friend requests that wait for an answer, the closest accounts first.
struct InboxPage {
  private typealias Run = GatheredRun<FriendRequestRow, ListReceivedRequests.Outcome>

  private let account: AccountInUse
  private let visit: Visit
  private let page: Int
  /// How many accounts were looked at before.
  private let after: Int

  /// - Throws: ``DashboardError`` for a wrong page, and as `Visit.account()`.
  init(_ visit: Visit) throws {
    (account, self.visit) = (try visit.account(), visit)
    let parameters = APIParameters(visit.items)
    page = try parameters.number("page", upTo: 1_000_000) ?? 1
    after = try parameters.number("after", upTo: 10_000_000) ?? 0
  }

  private var source: ListReceivedRequests.Source {
    ListReceivedRequests.usualSource(in: account.workspace, after: after)
  }

  var response: LocalResponse {
    SlowPage(
      title: "Requests", subtitle: "Who asks to be your friend, or to follow you", account: account,
      section: .requests, actions: FriendTab.askSomeone(account), tools: FriendTab.inbox.tabs(of: account),
      waiting: waiting
    ).response(visit) { try await content() }
  }

  private var waiting: HTML {
    if case .neighbours(_, let most) = source {
      return
        "Asking the servers of your newest \(Figure.words(most)) followers and follows. They have to be asked one by one."
    }
    return "Reading the requests that the index knows."
  }

  // MARK: Content

  private func content() async throws -> HTML {
    let workspace = account.workspace
    let inbox = ListReceivedRequests(of: try await workspace.account(), from: source, page: page)
    let run = try await Run(
      inbox, in: workspace, most: ListReceivedRequests.pageSize, failingEmpty: false)
    var parts: [HTML] = [Self.explanation]
    if let error = run.outcome.interruption {
      let sentence: HTML = "<b>Some requests may be missing.</b> \(Failure(error).sentence)"
      parts.append(Notice(kind: .warn, sentence: sentence).html)
    }
    parts.append(run.rows.isEmpty ? emptyState(run.outcome) : table(run))
    let notes = run.notes.compactMap { $0.note.sentence }.map { "<li>\($0)</li>" as HTML }
    if !notes.isEmpty { parts.append("<ul class=\"m xs\">\(notes)</ul>") }
    return "<div class=\"stack l\">\(parts)</div>"
  }

  private static let explanation = Notice(
    kind: .plain,
    sentence:
      "Friend requests are public records that Kith and a few other apps understand. Decline is noted on this machine only: to others it looks like no answer."
  ).html

  private func table(_ run: Run) -> HTML {
    let rows = run.rows.map { InboxRow(row: $0, viewer: account).html }
    let bar = SelectionBar(
      account: account, visit: visit, changes: [.accept, .decline],
      fields: [("back", address(page: page, after: after))])
    return """
      <section class="card flush" aria-label="Inbox"><table class="tb pk pk2" role="table"><caption class="vh">Inbox</caption>\
      \(InboxRow.head)<tbody role="rowgroup">\(rows)</tbody></table>\(foot(run.outcome))</section>\(bar.html)
      """
  }

  private func foot(_ outcome: ListReceivedRequests.Outcome) -> HTML {
    """
    <div class="tfoot"><span>\(summary(outcome))</span><span class="line">\(pager(outcome))</span></div>
    """
  }

  /// Where was looked, and what was left out.
  private func summary(_ outcome: ListReceivedRequests.Outcome) -> HTML {
    let time = PageTime.html(Datetime(at: account.workspace.time.instant))
    // Where some were, the sentence counts them.
    let rule: HTML? = outcome.blocked == 0 ? " Blocked and muted are left out." : nil
    return
      "Closest accounts first. \(outcome.sentence(in: .neutral).capitalizedFirst).\(rule) Read \(time)."
  }

  private func pager(_ outcome: ListReceivedRequests.Outcome) -> HTML {
    var links = HTML()
    if page > 1 {
      links +=
        "<a rel=\"prev\" class=\"b sm\" href=\"\(address(page: page - 1, after: after))\">\(Icon.left.html)Previous</a>"
    }
    if page < outcome.pages {
      links +=
        "<a rel=\"next\" class=\"b sm\" href=\"\(address(page: page + 1, after: after))\">Next\(Icon.right.html)</a>"
    } else if let more = more(outcome) {
      links += more
    }
    return links
  }

  /// Leads to what was not looked at yet; nil if the source has no more.
  private func more(_ outcome: ListReceivedRequests.Outcome) -> HTML? {
    guard outcome.hasMore else { return nil }
    let next =
      switch source {
      case .neighbours(let after, let most): after + most
      default: after + ListReceivedRequests.rankedAtOnce
      }
    return "<a class=\"b sm\" href=\"\(address(page: 1, after: next))\">Look at more</a>"
  }

  private func address(page: Int, after: Int) -> String {
    let items = [("page", page, 1), ("after", after, 0)].filter { $0.1 > $0.2 }.map { "\($0.0)=\($0.1)" }
    return account.address(FriendTab.inbox.rawValue)
      + (items.isEmpty ? "" : "?\(items.joined(separator: "&"))")
  }

  private func emptyState(_ outcome: ListReceivedRequests.Outcome) -> HTML {
    guard page <= outcome.pages else {
      return EmptyState(
        title: "Nothing here", sentence: "The inbox has no page \(Figure.words(page)).",
        wayOn: "<a class=\"b\" href=\"\(address(page: 1, after: after))\">First page</a>"
      ).html
    }
    let title = page < outcome.pages || outcome.hasMore ? "No request here" : "No request waits for you"
    let links = pager(outcome)
    let wayOn: HTML =
      links.isEmpty ? "<a class=\"b\" href=\"\(account.address("discover"))\">Discover people</a>" : links
    return EmptyState(title: title, sentence: summary(outcome), wayOn: wayOn).html
  }
}
