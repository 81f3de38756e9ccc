// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithWording
import KithWriting

/// The jobs of an account: those that run, wait for a yes, are done.
struct JobsPage {
  private let account: AccountInUse
  private let visit: Visit

  init(_ visit: Visit) throws { (account, self.visit) = (try visit.account(), visit) }

  func response() async throws -> LocalResponse {
    let run = try await GatheredRun(ListJobs(), in: account.workspace, most: 1_000)
    return visit.page("Jobs", of: account, in: .jobs, Self.card(run.rows, of: account, visit))
  }

  /// The jobs as a card, which the page loads again when they change. In each group, the latest stands first.
  static func card(_ jobs: [JobRow], of account: AccountInUse, _ visit: Visit) -> HTML {
    let groups = Group.allCases.map { group -> HTML in
      let items = jobs.reversed().filter { Group($0) == group }.map { item($0, of: account, visit) }
      return items.isEmpty
        ? HTML() : "<h3 class=\"s\">\(group.rawValue)</h3><ul class=\"list rule\">\(items)</ul>"
    }
    let empty: HTML = "<p class=\"m\">There are no jobs. Changes of several accounts appear here.</p>"
    return """
      <section class="card" id="jobs" data-on="jobs" data-fragment="\(account.address("jobs"))" aria-labelledby="jobs-title">\
      <header><h2 id="jobs-title">Jobs</h2></header>\(jobs.isEmpty ? [empty] : groups)</section>
      """
  }

  /// What a job needs, the most urgent first.
  private enum Group: String, CaseIterable {
    case proposed = "Waiting for your approval"
    case running = "Running"
    case waiting = "Waiting"
    case ended = "Ended"

    init(_ row: JobRow) {
      self =
        switch row.state {
        case "proposed": .proposed
        case "running": .running
        default: row.job.state.isEnded ? .ended : .waiting
        }
    }
  }

  private static func item(_ row: JobRow, of account: AccountInUse, _ visit: Visit) -> HTML {
    let number = row.job.id.number
    let open = row.counts[.pending] + row.counts[.inDoubt]
    let isOpen = row.job.isUnapproved == false && open > 0
    let bar: HTML? =
      isOpen
      ? """
      <progress id="job-\(number)" data-job="\(number)" value="\(row.total - open)" max="\(row.total)" \
      aria-label="Job \(number)"></progress><span class="num xs" id="job-\(number)-words">\(row.total - open) of \(row.total)</span>
      """ : nil
    return """
      <li><div class="grow"><a href="\(account.address("jobs/\(number)"))"><b>Job \(number): \(row.job.title)</b></a> <span class="m xs">\(row.state), \(Counted.words(row.total, "change")), \
      \(PageTime.html(row.job.createdAt))</span>\(targets(row))\(bar)</div>\(actions(row).map { button($0, row, account, visit) })</li>
      """
  }

  private static func targets(_ row: JobRow) -> HTML? {
    guard !row.targets.isEmpty else { return nil }
    let names = row.targets.enumerated().map { position, name -> HTML in
      position == 0 ? "\(guest: name)" : ", \(guest: name)"
    }
    return "<div class=\"m xs\">\(names)</div>"
  }

  /// What can be done about a job in its state.
  private static func actions(_ row: JobRow) -> [JobAction] {
    switch row.state {
    case "proposed": [.approve, .reject]
    case "running": [.pause, .cancel]
    case "interrupted", "paused", "stopped": [.resume, .cancel]
    case "done" where row.canBeUndone: [.undo]
    default: []
    }
  }

  private static func button(
    _ action: JobAction, _ row: JobRow, _ account: AccountInUse, _ visit: Visit
  ) -> HTML {
    let number = row.job.id.number
    let digest: HTML? =
      action == .approve
      ? row.job.proposal.map { "<input type=\"hidden\" name=\"digest\" value=\"\($0.digest.description)\">" }
      : nil
    let words = action.rawValue.capitalizedFirst
    return """
      <form method="post" action="\(account.address("jobs/\(number)/\(action.rawValue)"))">\(visit.formField)\(digest)\
      <button class="b sm" id="job-\(number)-\(action.rawValue)" aria-label="\(words) job \(number)">\(words)</button></form>
      """
  }
}

extension JobRow {
  /// Whether an undo can begin: the run of a job holds it a little longer than its last item takes.
  var canBeUndone: Bool { job.undoes == nil && counts[.done] > 0 && summary.holder == nil }
}
