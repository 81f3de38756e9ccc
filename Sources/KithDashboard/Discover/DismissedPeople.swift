// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships

/// The accounts that are not suggested again, and what makes an account one of them or none.
struct DismissedPeople {
  /// The form of the buttons that dismiss.
  static let form = "dismiss"

  private static let mostRows = 50

  private let account: AccountInUse
  private let visit: Visit

  init(_ account: AccountInUse, _ visit: Visit) { (self.account, self.visit) = (account, visit) }

  private static func address(of account: AccountInUse) -> String { account.address("discover/dismiss") }

  /// The form, and the list of those who are dismissed.
  func html(leadingBackTo back: String) async throws -> HTML {
    """
    <form method="post" action="\(Self.address(of: account))" id="\(Self.form)">\(visit.formField)\
    <input type="hidden" name="back" value="\(back)"></form>\(try await card)
    """
  }

  private var card: HTML {
    get async throws {
      let run = try await GatheredRun(ListDismissedPeople(), in: account.workspace, most: Self.mostRows)
      let rows = run.rows.map(row)
      let count: HTML =
        run.isCut
        ? "the latest \(Figure.words(run.rows.count))"
        : "\(Figure.words(run.rows.count)) \(run.rows.count == 1 ? "account" : "accounts")"
      let content: HTML =
        rows.isEmpty
        ? "<p class=\"m s\">An account that you dismiss stands here, and can be suggested again.</p>"
        : "<ul class=\"list\">\(rows)</ul>"
      return """
        <section class="card" id="dismissed" aria-labelledby="dismissed-title"><header><h2 id="dismissed-title">Dismissed</h2>\
        <span class="m xs">\(count)</span></header>\(content)</section>
        """
    }
  }

  private func row(_ row: AccountViewRow) -> HTML {
    """
    <li>\(AccountCell(view: row.view, viewer: account).html)<button class="b q sm" form="\(Self.form)" name="again" \
    value="\(row.view.account.description)" aria-label="Suggest \(guestValue: AccountCell.name(of: row.view)) again">Suggest again</button></li>
    """
  }

  // MARK: Changes

  /// Dismisses the account that the form names, or takes that back. No server is told.
  static func change(_ visit: Visit) async throws -> LocalResponse {
    let account = try visit.account()
    let takesBack = visit.form?["again"] != nil
    guard let text = visit.form?[takesBack ? "again" : "dismiss"] else {
      throw DashboardError.invalid("dismiss", "it names the account, and is needed")
    }
    guard let other = DID(text) else { throw DashboardError.invalid(text, "this is not a DID") }
    _ = try await GatheredRun(
      DismissPeople([other], takingBack: takesBack), in: account.workspace, most: 1, endingThere: false)
    let back = visit.back(orTo: DiscoverRequest.address(of: account))
    guard visit.form?["part"] == "toast" else { return .seeOther(back) }
    let name = try await GatheredRun(
      ShowFollowButtons([other], withNames: true), in: account.workspace, most: 1
    ).rows.first
      .map {
        AccountCell.name(of: $0.view)
      }
    let undo: HTML = """
      <form method="post" action="\(address(of: account))">\(visit.formField)<input type="hidden" name="back" value="\(back)">\
      <button class="b q sm" name="\(takesBack ? "dismiss" : "again")" value="\(other.description)">Undo</button></form>
      """
    return .page(
      """
      \(try await DismissedPeople(account, visit).card)<div class="toast" role="status">\(Icon.check.html)\
      <span class="grow">\(guest: name ?? other.description) \(takesBack ? "may be suggested again." : "will not be suggested again.")</span>\(undo)\
      <button type="button" class="b ic sm" aria-label="Close message" data-dismiss>\(Icon.x.html)</button></div>
      """)
  }
}
