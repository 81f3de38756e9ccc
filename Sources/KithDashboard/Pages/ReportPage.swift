// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording
import KithWriting

/// Reports an account to the moderators: a report is sent once, and cannot be undone.
struct ReportPage {
  private let account: AccountInUse
  private let visit: Visit
  private let actor: ATIdentifier

  init(_ visit: Visit) throws {
    (account, self.visit, actor) = (try visit.account(), visit, try visit.actor())
  }

  /// The form.
  var response: LocalResponse {
    let reasons = ReportReason.allCases.map { reason -> HTML in
      """
      <label class="opt"><input class="ck" type="radio" name="reason" value="\(reason.rawValue)" required><span>\(reason.words)</span></label>
      """
    }
    return page(
      """
      <form method="post" action="\(visit.request.path)">\(visit.formField)\
      <fieldset class="field"><legend class="lab">What is wrong</legend>\(reasons)</fieldset>\
      <div class="field"><label for="text">For the moderators, if you like</label>\
      <textarea class="inp" id="text" name="text" rows="4" maxlength="2000"></textarea></div>\
      <p class="m s">The report goes to the moderation of bsky.app, with your name. It cannot be undone.</p>\
      <div class="acts"><a class="b" href="\(back)" data-close>Cancel</a><button class="b d">Send report</button></div></form>
      """)
  }

  /// Sends the report that the form describes.
  func send(_ jobs: JobsInServer) async throws -> LocalResponse {
    guard let reason = visit.form?["reason"].flatMap({ ReportReason(rawValue: $0) }) else {
      throw DashboardError.invalid("reason", "one of the reasons has to be chosen")
    }
    guard let service = ServiceReference(ReportToModerators.publicModeration) else {
      throw DashboardError.invalid(ReportToModerators.publicModeration, "this is not a service")
    }
    var report = ReportToModerators(
      try ReportInput(parsing: "\(actor)"), named: "\(actor)", because: reason, to: service)
    report.text = visit.form?["text"].flatMap { $0.isEmpty ? nil : $0 }
    report.blocks = false
    report.isConfirmed = true
    let outcome = try await jobs.finish(report, in: account.workspace, most: 1).outcome
    let block: HTML =
      "<a class=\"b\" data-ask href=\"\(account.address("ask/block/\(outcome.owner)"))\">Block this account</a>"
    let notice =
      switch outcome.row.state {
      case .reported:
        Notice(
          kind: .good,
          sentence:
            "<b>The report was sent.</b> Its number is \(outcome.row.receipt.map { "\($0.id)" } ?? "unknown").",
          actions: block)
      case .inDoubt:
        Notice(
          kind: .warn,
          sentence:
            "<b>It is unknown whether the report arrived.</b> \(words(outcome.failure)) Sending it again may make a second one."
        )
      default: Notice(kind: .bad, sentence: "<b>The report was not sent.</b> \(words(outcome.failure))")
      }
    return page(
      "\(notice.html)<div class=\"acts\"><a class=\"b\" href=\"\(back)\" data-close>Back to the profile</a></div>"
    )
  }

  private func words(_ failure: RepositoryError?) -> HTML {
    failure.map { "\(Failure($0).sentence)." } ?? HTML()
  }

  private var back: String { account.address("profile/\(actor)") }

  private func page(_ content: HTML) -> LocalResponse {
    visit.page(
      "Report", of: account, in: nil, titled: false,
      """
      <h1 class="vh">Report</h1><section class="card ask" id="ask" aria-labelledby="ask-title"><h2 id="ask-title">Report \(guest: "\(actor)")</h2>\(content)</section>
      """)
  }
}

extension ReportReason {
  fileprivate var words: String {
    switch self {
    case .spam: "Spam: unwanted replies, mentions, messages"
    case .violation: "Breaks the law or the terms of service"
    case .misleading: "Misleading: impersonation or false claims"
    case .sexual: "Sexual content without a label"
    case .rude: "Rude: harassment, insults"
    case .other: "Something else"
    }
  }
}
