// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording
import KithWriting

/// What became of a change of one account: the follow button for a script, or the page that it was made on.
struct ChangePage {
  private let account: AccountInUse
  private let visit: Visit
  private let other: DID

  init(_ visit: Visit, about other: DID) throws {
    (account, self.visit, self.other) = (try visit.account(), visit, other)
  }

  /// Whether the button is one that knows of requests, as that of a profile is.
  private var asksRequests: Bool { items["styles"] == FollowButtonView.Style.standard.rawValue }

  private var items: QueryItems { visit.form ?? visit.items }

  /// Whether a script puts the answer in its place.
  private var isFragment: Bool { items["styles"] != nil }

  /// Makes a change, and shows what became of it.
  func response(_ order: ChangeOrder, _ jobs: JobsInServer) async throws -> LocalResponse {
    let target = NamedTarget(other.description, version: order.accounts.first?.version)
    let source = order.change.source(of: AccountChoice(naming: [target]), scope: order.scope)
    // A block, and what else has to be understood first, has a page that asks.
    guard order.isConfirmed || !order.change.isAsked else {
      return .seeOther(account.address("ask/\(order.change.rawValue)/\(other)"))
    }
    let rows: [ChangeRow]
    let outcome: ChangeRunOutcome
    switch try await jobs.carryOut(
      source, for: order.lifetime, confirmed: order.isConfirmed, in: account.workspace)
    {
    case .asks(let question): return try QuestionPage(question, visit).response
    case .waits(let job, let until, let wait):
      guard isFragment else { return .seeOther(account.address("jobs/\(job.number)")) }
      let waiting = "job \(job) waits until \(PageTime.words(until)) \(Wording.words(for: wait))"
      let words = "\(order.change.failed) yet: \(waiting)"
      return .page(try await button(saying: words))
    case .ended(let ended, let end): (rows, outcome) = (ended, end)
    }
    jobs.events.publish(
      DashboardEvent(
        .relationship, [OutputField("actor", .text(account.did)), OutputField("target", .text(other))]))
    let failure = rows.first { $0.state != .done && $0.state != .unchanged }
    if let failure {
      let words = "\(order.change.failed): \(failure.reason?.text ?? failure.state.rawValue)"
      return isFragment ? .page(try await button(saying: words)) : refused(words)
    }
    guard isFragment else { return .seeOther(back) }
    let undo: HTML? = outcome.job.map { job in
      """
      <form method="post" action="\(account.address("jobs/\(job.id.number)/undo"))">\(visit.formField)\
      <input type="hidden" name="back" value="\(back)"><button class="b q sm">Undo</button></form>
      """
    }
    let row = try await row()
    let name: HTML = "\(guest: AccountCell.name(of: row.view))"
    return .page(
      """
      \(button(row))<div class="toast" role="status">\(Icon.check.html)<span class="grow">\(order.change.done(name))</span>\(undo)\
      <button type="button" class="b ic sm" aria-label="Close message" data-dismiss>\(Icon.x.html)</button></div>
      """)
  }

  /// Asks for the relationship again.
  func checked() async throws -> LocalResponse {
    isFragment ? .page(try await button(askingAgain: true)) : .seeOther(back)
  }

  /// The follow button as it is now.
  func button(saying failure: String? = nil, askingAgain asksAgain: Bool = false) async throws -> HTML {
    button(try await row(askingAgain: asksAgain), saying: failure)
  }

  private func button(_ row: FollowButtonRow, saying failure: String? = nil) -> HTML {
    let styles = (items["styles"] ?? "").split(separator: " ").compactMap {
      FollowButtonView.Style(rawValue: String($0))
    }
    return FollowButtonView(
      row: row, name: AccountCell.name(of: row.view), viewer: account, styles: styles, failure: failure
    ).html
  }

  private func row(askingAgain asksAgain: Bool = false) async throws -> FollowButtonRow {
    let run = try await GatheredRun(
      ShowFollowButtons([other], askingAgain: asksAgain, withNames: true, withRequests: asksRequests),
      in: account.workspace, most: 1)
    guard let row = run.rows.first else {
      throw run.outcome.interruption ?? DashboardError(.noSuchPage, "\(other)", "there is no such account")
    }
    return row
  }

  /// The page that the change was made on. Others are not led to.
  private var back: String { visit.back(orTo: account.address("profile/\(other)")) }

  private func refused(_ words: String) -> LocalResponse {
    visit.page(
      "This did not work", of: account, in: nil,
      Notice(
        kind: .bad, sentence: "\(guest: words)", actions: "<a class=\"b sm\" href=\"\(back)\">Back</a>"
      ).html)
  }
}

extension Visit {
  /// The page that a form or a link names, if it is one of this server.
  func back(orTo other: String) -> String {
    guard let back = (form ?? items)["back"], back.hasPrefix("/@"), !back.contains("//"),
      back.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return other }
    return back
  }
}

extension AccountChange {
  /// What was done, in a sentence.
  fileprivate func done(_ name: HTML) -> HTML {
    switch self {
    case .follow: "You follow \(name)."
    case .unfollow: "You do not follow \(name) any more."
    case .block: "You block \(name)."
    case .unblock: "You do not block \(name) any more."
    case .mute: "You mute \(name)."
    case .unmute: "You do not mute \(name) any more."
    case .request, .befriend: "You have asked \(name)."
    case .cancel: "Your request to \(name) is withdrawn."
    case .accept: "You have accepted the request of \(name)."
    case .decline: "You have declined the request of \(name)."
    case .remove: "You and \(name) are not friends any more."
    }
  }

  /// What was not done, for use before a reason.
  fileprivate var failed: String {
    switch self {
    case .follow: "Not followed"
    case .unfollow: "Still followed"
    case .block: "Not blocked"
    case .unblock: "Still blocked"
    case .mute: "Not muted"
    case .unmute: "Still muted"
    case .request, .befriend: "Not asked"
    case .cancel: "Not withdrawn"
    case .accept: "Not accepted"
    case .decline: "Not declined"
    case .remove: "Still friends"
    }
  }
}
