// SPDX-License-Identifier: Apache-2.0

import KithInsights

/// What can be done about the accounts that are selected: a plan comes first.
struct SelectionBar {
  let account: AccountInUse
  let visit: Visit
  let changes: [AccountChange]
  /// What the form brings besides, such as the page that it leads back to.
  let fields: [(name: String, value: String?)]
  /// Whether all accounts of the list can be meant, also those that are on other pages.
  var hasAll = false

  /// The form that all buttons of the page are part of, and the bar.
  var html: HTML {
    let all: HTML? =
      hasAll
      ? """
      <label class="opt s"><input class="ck" type="checkbox" name="all" value="yes"><span>All in this list</span></label>
      """ : nil
    return """
      <form method="post" action="\(account.address("change"))" id="\(FollowButtonView.form)" data-select>\(visit.formField)\(fields.map(hidden))\
      <div class="pick" role="region" aria-label="Selection"><b id="selected" role="status">Select accounts in the list</b>\(all)\
      <span class="acts">\(changes.map(button))</span></div></form>
      """
  }

  private func hidden(_ name: String, _ value: String?) -> HTML {
    guard let value else { return HTML() }
    return "<input type=\"hidden\" name=\"\(name)\" value=\"\(value)\">"
  }

  /// The script adds how many are meant.
  private func button(_ change: AccountChange) -> HTML {
    """
    <button class="b sm" name="do" value="\(change.rawValue)" data-verb="\(change.title)">\(change.title)…</button>
    """
  }
}

extension AccountChange {
  /// Such as `Unfollow`.
  var title: String {
    switch self {
    case .request: "Ask to follow"
    case .befriend: "Ask to be friends"
    case .cancel: "Cancel request"
    case .remove: "End friendship"
    default: rawValue.capitalizedFirst
    }
  }
}
