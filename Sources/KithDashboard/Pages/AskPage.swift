// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships

/// Asks before an account is blocked, unblocked or muted, in the words of what that means. With a script it is a dialog.
struct AskPage {
  private let account: AccountInUse
  private let visit: Visit
  private let actor: ATIdentifier
  private let change: AccountChange

  init(_ visit: Visit) throws {
    (account, self.visit, actor) = (try visit.account(), visit, try visit.actor())
    guard let change = AccountChange(rawValue: visit.parts["change"] ?? ""), change.isAsked else {
      throw DashboardError(.noSuchPage, visit.request.path, "there is no such page")
    }
    self.change = change
  }

  func response() async throws -> LocalResponse {
    let profile = try await GatheredRun(ShowProfile(actor, posts: 0), in: account.workspace, most: 1)
    guard let view = profile.rows.first?.view else {
      throw profile.outcome.interruption
        ?? DashboardError(.noSuchPage, "\(actor)", "there is no such account")
    }
    let button = try await GatheredRun(ShowFollowButtons([view.account]), in: account.workspace, most: 1).rows
      .first
    let name: HTML = "\(guest: AccountCell.name(of: view))"
    let back = visit.back(orTo: account.address("profile/\(view.account)"))
    let content: HTML = """
      <h1 class="vh">\(change.title)</h1><section class="card ask" id="ask" aria-labelledby="ask-title"><h2 id="ask-title">\(change.title)\(change == .remove ? " with" : nil) \(name)?</h2>\
      <ul class="pts">\(words(button, view))</ul>\
      <form method="post" action="\(account.address("change"))">\(visit.formField)<input type="hidden" name="back" value="\(back)">\
      <input type="hidden" name="confirmed" value="yes">\(fields)<div class="acts">\(reportFirst(view))\
      <a class="b" href="\(back)" data-close>\(change.otherwise)</a>\
      <button class="b \(change == .unblock ? "p" : "d")" name="do" value="\(change.rawValue) \(view.account.description)">\(change.title)</button></div></form></section>
      """
    return visit.page(change.title, of: account, in: nil, titled: false, content)
  }

  private func words(_ row: FollowButtonRow?, _ view: AccountView) -> [HTML] {
    func point(_ icon: Icon, _ words: HTML) -> HTML { "<li>\(icon.html)<span>\(words)</span></li>" }
    let button = row?.button
    switch change {
    case .block:
      var points = [
        point(.eye, "You do not see each other’s posts, and they cannot reply to you."),
        point(
          .share,
          "Blocks are <b>public records</b> that AppViews enforce. They are not notified, but can find out."),
      ]
      if button?.state == .following || button?.state == .mutual {
        points.append(
          point(.outArrow, "Your follow of them is deleted. <b>It does not come back</b> when you unblock."))
      }
      if button?.followsYou == true {
        points.append(point(.incoming, "Their follow of you stays, hidden. Only they can delete it."))
      }
      return points
    case .unblock:
      var points = [point(.info, "They are not notified.")]
      if let row, let list = button?.blockingList {
        points.append(
          point(.list, "They <b>stay blocked by the list</b> \(guest: row.lists[list] ?? list.description)."))
      }
      return points + [
        point(.outArrow, "If you followed them before, that follow does not come back."),
        point(.incoming, "If they followed you before and that follow still exists, it counts again."),
      ]
    case .mute:
      return [
        point(.lock, "Mutes are private. Only your AppView knows them."),
        point(.eye, "You do not see their posts in feeds. They can still follow you and reply."),
      ]
    default:
      return [point(.info, "The records of the friendship are deleted. A follow stays as it is.")]
    }
  }

  private var fields: HTML? {
    guard change == .block || change == .mute else { return nil }
    let scopes: HTML? =
      change == .mute
      ? """
      <div class="field"><label for="scope">What</label><select class="sel" id="scope" name="scope"><option value="everything">Everything</option>\
      <option value="reposts">Reposts only</option><option value="quotes">Quotes only</option></select></div>
      """ : nil
    return """
      \(scopes)<div class="field gt"><label for="days">Ends</label><select class="sel" id="days" name="days"><option value="">No end</option>\
      <option value="1">In a day</option><option value="7">In 7 days</option><option value="30">In 30 days</option></select></div>
      """
  }

  /// Evidence is harder to collect after a block.
  private func reportFirst(_ view: AccountView) -> HTML? {
    change == .block
      ? "<a class=\"b q\" data-ask href=\"\(account.address("report/\(view.account)"))\">\(Icon.flag.html)Report first</a>"
      : nil
  }
}

extension AccountChange {
  /// Whether a person is told what it means before it is made.
  var isAsked: Bool { [.block, .unblock, .mute, .remove].contains(self) }

  /// What the other button is called: its result.
  fileprivate var otherwise: String {
    switch self {
    case .unblock: "Keep blocked"
    case .remove: "Stay friends"
    default: "Cancel"
    }
  }
}
