// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording
import KithWriting

/// The first page of an account: its counts, and what waits for an answer.
struct OverviewPage {
  private let account: AccountInUse
  private let visit: Visit

  init(_ visit: Visit) throws { (account, self.visit) = (try visit.account(), visit) }

  /// - Parameter memory: knows when the last visit ended; nil if nothing is remembered.
  func response(_ memory: DashboardMemory?) async throws -> LocalResponse {
    let before = memory?.look(at: account.did, Datetime(at: account.workspace.time.instant))
    async let changes = ChangesCard(of: account, since: before)
    async let profile = GatheredRun(ShowProfile(.did(account.did), posts: 0), in: account.workspace, most: 1)
    let counts: [ListingCountRow]
    var fault: HTML?
    do {
      counts = try await GatheredRun(CountListings(of: [account.did]), in: account.workspace, most: 2).rows
    } catch {
      // Jobs are known without the network.
      counts = []
      fault = "<p class=\"m xs\" role=\"alert\">Could not count: \(Failure(error).sentence)</p>"
    }
    let jobs = try await GatheredRun(ListJobs(), in: account.workspace, most: 1_000)
    // Without it there are initials.
    let card = try? await profile.rows.first
    return visit.page(
      "Overview", of: account, in: .overview, under: name(card),
      """
      <div class="stack l"><section class="card" id="figures" data-on="reset" data-fragment="\(account.address())" aria-labelledby="k"><h2 id="k" class="vh">Key figures</h2>\
      <dl class="stats">\(count(.followers, in: counts))\(count(.follows, in: counts))</dl>\(source(counts))\(fault)</section>
      <div class="cols"><div class="stack l">\(needs(jobs.rows))\(requests)\(try await changes.html)</div>\
      <div class="stack l">\(JobsPage.card(jobs.rows, of: account, visit))</div></div></div>
      \(FollowButtonView.form(of: account, visit, leadingBackTo: account.address()))
      """)
  }

  /// To find requests takes a while: a script has them loaded after the page.
  private var requests: HTML {
    """
    <section class="card" aria-labelledby="requests-title"><header><h2 id="requests-title">Friend requests</h2>\
    <a class="s" href="\(account.address("requests"))">All requests</a></header>\
    <div id="waiting" data-lazy="\(account.address("requests/waiting"))" aria-live="polite"></div></section>
    """
  }

  /// What waits for a person, each with one button.
  private func needs(_ jobs: [JobRow]) -> HTML {
    let items = jobs.reversed().compactMap { job -> HTML? in
      let words: (icon: Icon, title: String, detail: String, button: String)? =
        switch job.state {
        case "proposed":
          (
            .jobs, "Job \(job.job.id.number) waits for your approval",
            "\(job.job.title): \(Counted.words(job.total, "change"))", "See plan"
          )
        case "interrupted", "stopped":
          (
            .warn, "Job \(job.job.id.number) is \(job.state)", "What is done stays; the rest waits.",
            "See job"
          )
        case "done" where job.counts[.failed] > 0:
          (
            .warn, "\(Counted.words(job.counts[.failed], "change")) of job \(job.job.id.number) failed",
            job.job.title, "See why"
          )
        default: nil
        }
      return words.map { words in
        """
        <li>\(words.icon.html)<div class="grow"><b>\(words.title)</b><div class="m xs">\(words.detail)</div></div>\
        <a class="b sm" href="\(account.address("jobs/\(job.job.id.number)"))">\(words.button)</a></li>
        """
      }
    }
    let content: HTML =
      items.isEmpty
      ? "<p class=\"m s\">Nothing needs you.</p>"
      : "<ul class=\"list rule\">\(Array(items.prefix(Self.mostItems)))</ul>"
    return """
      <section class="card" id="needs" data-on="jobs" data-fragment="\(account.address())" aria-labelledby="needs-title">\
      <header><h2 id="needs-title">Needs you</h2></header>\(content)</section>
      """
  }

  /// More would hide what is below.
  private static let mostItems = 5

  private func name(_ card: ProfileRow?) -> HTML {
    let name = card?.view.displayName.flatMap { $0.isEmpty ? nil : $0 }
    let picture = AccountPicture.html(card?.avatar, of: name ?? account.name, account.did)
    let words: HTML =
      if let name { "\(guest: name), \(guest: account.name)" } else { "\(guest: account.name)" }
    return "<span class=\"line\">\(picture)<span>\(words)</span></span>"
  }

  private func count(_ side: HistoryListing.Side, in rows: [ListingCountRow]) -> HTML {
    let count = rows.first { $0.listing.side == side }?.count
    let (title, page) =
      side == .followers ? ("Followers", Section.followers) : ("Following", Section.following)
    return """
      <div class="stat"><dt>\(title)</dt><dd><a href="\(account.address(page.rawValue))">\
      <span data-count="\(account.did.description) \(side.rawValue)" aria-live="polite">\(Figure.words(count))</span></a></dd></div>
      """
  }

  /// Who has counted, and when.
  private func source(_ rows: [ListingCountRow]) -> HTML? {
    rows.first.map { row in
      let counter =
        row.source == .daemon
        ? "Counted by the AppView, kept current by the daemon" : "Counted by the AppView"
      return """
        <p class="m xs">\(counter), \(PageTime.html(Datetime(at: row.at)))</p>
        """
    }
  }
}
