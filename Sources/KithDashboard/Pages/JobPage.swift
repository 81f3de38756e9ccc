// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithWording
import KithWriting

/// A job from its plan to its end: what will happen, how far it is, what became of it, and the undo.
struct JobPage {
  /// The rows that are shown; all are in the file.
  private static let mostRows = 200

  private let account: AccountInUse
  private let visit: Visit
  private let id: JobID

  init(_ visit: Visit) throws {
    (account, self.visit) = (try visit.account(), visit)
    guard let id = JobID(visit.parts["job"] ?? "") else {
      throw DashboardError.invalid(visit.parts["job"] ?? "", "this is not the number of a job")
    }
    self.id = id
  }

  func response() async throws -> LocalResponse {
    let changes = try await GatheredRun(
      ShowJob(id, naming: Self.mostRows), in: account.workspace, most: ChangeOrder.mostAccounts)
    let jobs = try await GatheredRun(ListJobs(all: true), in: account.workspace, most: .max)
    guard let job = jobs.rows.first(where: { $0.job.id == id }) else {
      throw DashboardError(.noSuchPage, visit.request.path, "there is no such job")
    }
    let summary = PlanSummary(job, changes.rows, account)
    let content: HTML = """
      <div class="stack l" id="job" data-on="jobs" data-fragment="\(account.address("jobs/\(id.number)"))">\(steps(job))\
      <div class="cols"><div class="stack l">\(PlanTable(changes.rows, most: Self.mostRows, viewer: account).html)</div>\
      <div class="stack">\(state(job, summary))</div></div></div>
      """
    return visit.page(
      summary.title, of: account, in: .jobs, under: "Job \(id.number), \(PageTime.html(job.job.createdAt))",
      content)
  }

  /// Where the job stands.
  private func steps(_ row: JobRow) -> HTML {
    let names = ["Plan", "Running", "Done"]
    let current = row.job.isUnapproved ? 0 : row.job.state.isEnded ? 2 : 1
    let items = names.enumerated().map { place, name -> HTML in
      if place < current { return "<li class=\"ok\"><span>\(Icon.check.html)</span>\(name)</li>" }
      return place == current
        ? "<li aria-current=\"step\" class=\"cur\"><span>\(place + 1)</span>\(name)</li>"
        : "<li><span>\(place + 1)</span>\(name)</li>"
    }
    return "<ol class=\"steps\" aria-label=\"Steps\">\(items)</ol>"
  }

  private func state(_ row: JobRow, _ summary: PlanSummary) -> HTML {
    if row.state == "proposed" { return "\(summary.html)\(confirmation(row, summary))" }
    return "\(progress(row))\(ended(row))\(summary.html)"
  }

  // MARK: Plan

  private func confirmation(_ row: JobRow, _ summary: PlanSummary) -> HTML {
    let until: HTML? = row.job.proposal.map {
      "<p class=\"m xs\">The plan can be approved until \(PageTime.html($0.expiresAt)).</p>"
    }
    return """
      <section class="card stack"><h2 class="vh">Consequences</h2><ul class="pts">\(summary.consequences)</ul>\
      <div class="line">\(form(.approve, row, summary.verb, summary.isHarsh ? "b d" : "b p"))\(form(.reject, row, "Discard", "b q"))</div>\(until)</section>
      """
  }

  // MARK: Progress

  private func progress(_ row: JobRow) -> HTML? {
    guard !row.job.isUnapproved, !row.job.state.isEnded else { return nil }
    let open = row.counts[.pending] + row.counts[.inDoubt]
    let controls: HTML =
      row.state == "running"
      ? "\(form(.pause, row, "Pause", "b sm"))\(form(.cancel, row, "Stop", "b q sm bad"))"
      : "\(form(.resume, row, "Resume", "b sm"))\(form(.cancel, row, "Stop", "b q sm bad"))"
    let words: HTML =
      row.state == "running"
      ? "The job runs." : "The job is \(row.state). What is done stays; the rest waits."
    return """
      <section class="card stack"><div class="line sp"><h2>\(words)</h2><div class="line">\(controls)</div></div>\
      \(JobProgressBar(number: id.number, done: row.total - open, total: row.total).html)\(Self.tally(row))\
      <p class="m s">You can close this page. The job runs on, and continues after a restart.</p></section>
      """
  }

  /// How many items are in which state.
  static func tally(_ row: JobRow) -> HTML {
    let kinds: [(JobItemState.Kind, Icon, String, String)] = [
      (.done, .check, "done", "ok"), (.skipped, .minus, "nothing to do", ""),
      (.failed, .warn, "failed", "no"),
      (.inDoubt, .question, "in doubt", "at"), (.pending, .clock, "waiting", ""),
      (.cancelled, .x, "cancelled", ""),
      (.undone, .undo, "undone", ""),
    ]
    let badges = kinds.compactMap { kind, icon, words, style -> HTML? in
      let count = row.counts[kind]
      return count == 0 ? nil : Badges.html(icon, "\(Figure.words(count)) \(words)", style)
    }
    return "<div class=\"line\">\(badges)</div>"
  }

  // MARK: End

  private func ended(_ row: JobRow) -> HTML? {
    guard row.job.state.isEnded, !row.job.isUnapproved else { return nil }
    let failed = row.counts[.failed] + row.counts[.inDoubt]
    let retry: HTML? =
      failed == 0
      ? nil
      : Notice(
        kind: .bad, sentence: "<b>\(Figure.words(failed)) were not made.</b> The list says why.",
        actions: form(.retry, row, "Retry \(failed)", "b sm")
      ).html
    let undo: HTML? =
      row.canBeUndone
      ? "<div class=\"line\">\(form(.undo, row, "Undo \(Counted.words(row.counts[.done], "change"))", "b"))</div><p class=\"m s\">An undo cannot be undone; run the change again instead.</p>"
      : nil
    let time: HTML? = row.job.endedAt.map { "<p class=\"m s\">Ended \(PageTime.html($0)).</p>" }
    return """
      <section class="card stack"><h2>\(row.state.capitalizedFirst)</h2>\(Self.tally(row))\(retry)\(undo)\(time)</section>
      """
  }

  private func form(_ action: JobAction, _ row: JobRow, _ words: String, _ classes: String) -> HTML {
    let digest: HTML? =
      action == .approve
      ? row.job.proposal.map { "<input type=\"hidden\" name=\"digest\" value=\"\($0.digest.description)\">" }
      : nil
    return """
      <form method="post" action="\(account.address("jobs/\(id.number)/\(action.rawValue)"))">\(visit.formField)\(digest)\
      <button class="\(classes)" id="job-\(action.rawValue)">\(words)</button></form>
      """
  }
}

/// How far a job has come.
struct JobProgressBar {
  let number: Int64
  let done: Int
  let total: Int

  var html: HTML {
    """
    <div class="stack t"><progress id="job-\(number)" data-job="\(number)" value="\(done)" max="\(max(1, total))" aria-label="Job \(number)"></progress>\
    <span class="num xs" id="job-\(number)-words">\(done) of \(total)</span></div>
    """
  }
}

/// What changes do, by what will happen or has happened.
struct PlanSummary {
  private let job: JobRow
  private let rows: [ChangeRow]
  private let account: AccountInUse

  init(_ job: JobRow, _ rows: [ChangeRow], _ account: AccountInUse) {
    (self.job, self.rows, self.account) = (job, rows, account)
  }

  /// The number of accounts whose plan has something to send.
  private var affected: Int { rows.count { $0.state == .planned } }

  private var change: AccountChange? { AccountChange(rawValue: job.job.title) }

  private var name: String {
    change?.title ?? job.job.title.capitalizedFirst
  }

  var title: String { "\(name): \(Counted.words(rows.count, "change"))" }

  /// Whether it takes something away from others, or from the account.
  var isHarsh: Bool { [.unfollow, .block, .remove].contains(change) || change == nil }

  /// What approving does: the verb and the number.
  var verb: String { "\(name) \(Counted.words(affected, "account"))" }

  var html: HTML {
    let counts = Dictionary(grouping: rows, by: \.state).mapValues(\.count)
    let items = ChangeRow.State.allCases.compactMap { state -> HTML? in
      guard let count = counts[state] else { return nil }
      return "<li><span class=\"n\">\(Figure.words(count))</span><span>\(state.words)</span></li>"
    }
    let heading = job.state == "proposed" ? "What will happen" : "What happened"
    return
      "<section class=\"card\"><header><h2>\(heading)</h2></header><ul class=\"sum\">\(items)</ul></section>"
  }

  /// Who is told, what is public, what an undo can do.
  var consequences: [HTML] {
    func point(_ icon: Icon, _ words: HTML) -> HTML { "<li>\(icon.html)<span>\(words)</span></li>" }
    var points: [HTML] = []
    switch change {
    case .block:
      points = [
        point(.share, "Blocks are public records that AppViews enforce. They are not notified."),
        point(.outArrow, "Follows of blocked accounts are deleted. They do not come back with an unblock."),
        point(.undo, "Undo ends the blocks, and follows again what the job has unfollowed."),
      ]
    case .unblock:
      points = [
        point(.info, "They are not notified. Blocks by lists stay."),
        point(.outArrow, "Follows from before a block do not come back."),
      ]
    case .unfollow:
      points = [
        point(
          .info, "They are not notified. Follows are public records, so anyone can see that yours are gone."),
        point(
          .undo, "Undo follows the same accounts again. New follows carry the new date, and may notify them."),
      ]
    case .follow:
      points = [
        point(.info, "They are notified. Follows are public records."),
        point(.undo, "Undo deletes the follows again."),
      ]
    case .mute, .unmute: points = [point(.lock, "Mutes are private. Only your AppView knows them.")]
    case .request: points = [point(.share, "Requests are public records.")]
    default: break
    }
    if let proposal = job.job.proposal {
      points.append(point(.clock, "Uses \(Counted.words(proposal.points, "point")) of the write budget."))
    }
    if let lifetime = job.job.until {
      points.append(point(.clock, "It is undone \(PageTime.html(lifetime))."))
    }
    return points
  }
}

extension ChangeRow.State {
  /// What becomes of an account, for use after a number.
  var words: String {
    switch self {
    case .planned: "will be changed"
    case .done: "done"
    case .unchanged: "nothing to do"
    case .refused: "left alone"
    case .failed: "failed"
    case .notFound: "not found"
    case .error: "left alone: unknown. Unknown is never changed"
    case .pending: "waiting"
    case .inDoubt: "in doubt, will be checked"
    case .cancelled: "cancelled"
    case .undone: "undone"
    }
  }

  var icon: Icon {
    switch self {
    case .planned, .done: .check
    case .unchanged: .minus
    case .refused: .shield
    case .failed: .warn
    case .notFound: .gone
    case .error, .inDoubt: .question
    case .pending: .clock
    case .cancelled: .x
    case .undone: .undo
    }
  }
}

/// Changes as a table: the account, what happens, and why.
struct PlanTable {
  private let rows: [ChangeRow]
  private let most: Int
  private let viewer: AccountInUse

  init(_ rows: [ChangeRow], most: Int, viewer: AccountInUse) {
    (self.rows, self.most, self.viewer) = (rows, most, viewer)
  }

  var html: HTML {
    // What needs a look comes first.
    let ranked = rows.enumerated().sorted {
      ($0.element.state.rank, $0.offset) < ($1.element.state.rank, $1.offset)
    }
    return """
      <section class="card flush"><header><h2>Who is affected</h2></header><table class="tb" role="table"><caption class="vh">Who is affected</caption><thead role="rowgroup"><tr role="row">\
      <th role="columnheader" scope="col">Account</th><th role="columnheader" scope="col">What</th><th role="columnheader" scope="col">Why</th></tr></thead>\
      <tbody role="rowgroup">\(ranked.prefix(most).map { row($0.element) })</tbody></table>\
      <div class="tfoot"><span>\(Figure.words(min(most, rows.count))) of \(Figure.words(rows.count)) shown</span></div></section>
      """
  }

  private func row(_ row: ChangeRow) -> HTML {
    let name = row.name ?? row.input
    let notes = ([row.reason?.text] + row.notes.map(\.description)).compactMap(\.self).joined(separator: "; ")
    let account: HTML =
      row.subject.flatMap { DID($0) }.map {
        "<a class=\"dn\" href=\"\(viewer.address("profile/\($0)"))\">\(guest: name)</a>"
      }
      ?? "<span class=\"dn\">\(guest: name)</span>"
    return """
      <tr role="row"><td role="cell" class="acct full">\(account)</td><td role="cell" class="full"><span class="rel">\(row.state.icon.html)\
      \(row.state == .planned ? (AccountChange(rawValue: row.verb)?.title ?? row.verb) : row.state.words.capitalizedFirst)</span></td>\
      <td role="cell" class="full m s">\(guest: notes)</td></tr>
      """
  }
}

extension ChangeRow.State {
  fileprivate var rank: Int {
    switch self {
    case .failed, .inDoubt: 0
    case .error, .refused, .notFound: 1
    case .planned, .pending: 2
    default: 3
    }
  }
}

/// A plan that would change nothing, and why.
struct NothingToDoPage {
  static let mostRows = 200

  let response: LocalResponse

  init(_ run: GatheredRun<ChangeRow, ChangeRunOutcome>, _ change: AccountChange, _ visit: Visit) {
    let account = (try? visit.account()) ?? visit.currentAccount
    let table = account.map { PlanTable(run.rows, most: Self.mostRows, viewer: $0).html }
    let back = visit.back(orTo: account?.address() ?? "/")
    response = visit.page(
      "\(change.title): nothing to do", of: account, in: .jobs,
      "<div class=\"stack l\">\(Notice(kind: .plain, sentence: "Nothing would change, so there is no plan.", actions: "<a class=\"b sm\" href=\"\(back)\">Back</a>").html)\(run.rows.isEmpty ? nil : table)</div>"
    )
  }
}
