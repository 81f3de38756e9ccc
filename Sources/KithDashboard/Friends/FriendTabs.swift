// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithRelationships

/// The pages about friends and those who ask to be.
enum FriendTab: String, CaseIterable {
  case inbox = "requests"
  case sent = "requests/sent"
  case friends

  private var title: String {
    switch self {
    case .inbox: "Inbox"
    case .sent: "Sent"
    case .friends: "Friends"
    }
  }

  /// The tabs, of which this one is shown.
  func tabs(of account: AccountInUse) -> HTML {
    let links = Self.allCases.map { tab -> HTML in
      let current: HTML? = tab == self ? " aria-current=\"page\"" : nil
      return "<a href=\"\(account.address(tab.rawValue))\"\(current)>\(tab.title)</a>"
    }
    return """
      <div class="tools"><div class="tabline" role="navigation" aria-label="Requests">\(links)</div></div>
      """
  }

  /// The form of the buttons of the page, which leads back to it.
  func form(of account: AccountInUse, _ visit: Visit) -> HTML {
    FollowButtonView.form(of: account, visit, leadingBackTo: account.address(rawValue))
  }

  /// Leads to people who may be asked.
  static func askSomeone(_ account: AccountInUse) -> HTML {
    "<a class=\"b\" href=\"\(account.address("discover"))\">\(Icon.plus.html)Ask someone…</a>"
  }
}

extension FriendRequest.Kind {
  /// What a request asks for.
  ///
  /// - Parameter isOwn: whether the signed-in account has sent it.
  func words(isOwn: Bool) -> HTML {
    switch self {
    case .friend: "Friendship"
    case .follow: isOwn ? "To follow them" : "To follow you"
    }
  }
}

/// A button that changes how an account and the signed-in one are related. With a script, the answer stands in its place.
struct AnswerButton {
  let change: AccountChange
  let target: NamedTarget
  /// What people call the account.
  let name: String
  var icon: Icon?
  /// What stands in its place when it is done.
  let result: String
  var title: String?

  var html: HTML {
    let version: HTML? = target.version.map { " \($0.description)" }
    let words = title ?? change.title
    return """
      <button class="b sm" form="\(FollowButtonView.form)" name="do" value="\(change.rawValue) \(target.name)\(version)" data-answer="\(result)" \
      aria-label="\(words): \(guestValue: name)">\(icon?.html)\(words)</button>
      """
  }
}
