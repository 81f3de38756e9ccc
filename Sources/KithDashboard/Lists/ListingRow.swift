// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations
import KithRelationships

/// An account in a table of accounts.
struct ListingRow {
  /// What the columns are.
  struct Columns {
    /// The AppView lists followers without dates.
    let hasDates: Bool
    let hasCounts: Bool
    /// Whether it is said how long what was made stays.
    let hasEnds: Bool

    init(of views: [AccountView], in section: Section) {
      hasDates = views.contains { $0.since != nil }
      hasCounts = views.contains { $0.counts?.followers != nil }
      hasEnds = section == .blocked || section == .muted
    }
  }

  let row: AccountViewRow
  /// Nil if it is unknown how the accounts are related.
  let button: FollowButtonRow?
  /// Its number in the listing, from 1.
  let number: Int
  let section: Section
  let viewer: AccountInUse

  static func head(_ columns: Columns) -> HTML {
    let dates: HTML? = columns.hasDates ? head("Since", "nw") : nil
    let counts: HTML? = columns.hasCounts ? head("Followers", "r") : nil
    let ends: HTML? = columns.hasEnds ? head("Ends", "nw") : nil
    return """
      <thead role="rowgroup"><tr role="row"><th role="columnheader" scope="col" class="w0"><span class="hit"><input class="ck" \
      type="checkbox" id="select-all" aria-label="Select all that are shown" hidden></span></th>\(head("Account"))\(head(columns.hasEnds ? "How" : "Relationship", "lo2"))\
      \(dates)\(ends)\(counts)<th role="columnheader" scope="col"><span class="vh">Change</span></th></tr></thead>
      """
  }

  private static func head(_ title: String, _ classes: String = "") -> HTML {
    "<th role=\"columnheader\" scope=\"col\" class=\"\(classes)\">\(title)</th>"
  }

  func html(_ columns: Columns) -> HTML {
    let view = row.view
    let dates: HTML? = columns.hasDates ? since(view) : nil
    let counts: HTML? =
      columns.hasCounts
      ? "<td role=\"cell\" class=\"r hide\">\(Figure.words(view.counts?.followers))</td>" : nil
    return """
      <tr role="row" aria-rowindex="\(number + 1)" data-row="\(view.account.description)"><td role="cell" class="w0 ckc"><span class="hit">\
      <input class="ck" type="checkbox" name="actor" value="\(view.account.description)" form="\(FollowButtonView.form)" \
      aria-label="Select \(guestValue: AccountCell.name(of: view))"></span></td><td role="cell" class="acct">\(AccountCell(view: view, viewer: viewer).html)</td>\
      <td role="cell" class="lo2 full">\(relationship)</td>\(dates)\(columns.hasEnds ? ends : nil)\(counts)<td role="cell" class="r act">\(action)</td></tr>
      """
  }

  /// How it is blocked or muted, or how the signed-in account knows it.
  private var relationship: HTML {
    switch section {
    case .blocked: return block
    case .muted: return mute
    default: break
    }
    let words =
      row.asksRelationship || row.view.relationship != nil
      ? RelationshipWords.html(row.view.relationship) : HTML()
    guard let button, button.button.mute != nil else { return "<span class=\"line\">\(words)</span>" }
    return "<span class=\"line\">\(words)\(Badges(row: button).muted)</span>"
  }

  private var block: HTML {
    guard let button, let list = button.button.blockingList else {
      return "<span class=\"rel\">\(Icon.block.html)Directly</span>"
    }
    let name = button.lists[list] ?? "a list"
    return """
      <span class="rel">\(Icon.block.html)Directly and by list</span><div class="m xs">Unblocking leaves the block by \(guest: name)</div>
      """
  }

  private var mute: HTML {
    let words: HTML =
      switch (button?.button.mute, row.standing?.scope) {
      case (.byList?, _): "By list"
      case (.direct(.reposts)?, _), (_, .reposts?): "Reposts only"
      case (.direct(.quotes)?, _), (_, .quotes?): "Quotes only"
      default: "Everything"
      }
    return "<span class=\"rel\">\(Icon.mute.html)\(words)</span>"
  }

  private func since(_ view: AccountView) -> HTML {
    "<td role=\"cell\" class=\"full meta nw\"><span class=\"num\">\(view.since.map { PageTime.day($0) } ?? "—")</span></td>"
  }

  private var ends: HTML {
    guard let end = row.standing?.until else { return "<td role=\"cell\" class=\"full meta nw\">No end</td>" }
    return "<td role=\"cell\" class=\"full meta nw\"><span class=\"warn\">\(PageTime.html(end))</span></td>"
  }

  private var action: HTML {
    let name = AccountCell.name(of: row.view)
    if section == .muted {
      return """
        <button class="b sm" form="\(FollowButtonView.form)" name="do" value="unmute \(row.view.account.description)" \
        aria-label="Unmute \(guestValue: name)">Unmute</button>
        """
    }
    guard let button else { return HTML() }
    return FollowButtonView(row: button, name: name, viewer: viewer, styles: FollowButtonView.Style.row).html
  }
}

/// How the signed-in account knows another one, in a word and with its sign.
enum RelationshipWords {
  static func html(_ relationship: ViewerRelationship?) -> HTML {
    let (icon, words): (Icon, String) =
      switch relationship?.word {
      case nil: (.question, "Unknown")
      case .itself: (.at, "You")
      case .blockingEachOther: (.block, "You block each other")
      case .blocking: (.block, "Blocked")
      case .blockedBy: (.lock, "Blocks you")
      case .mutual: (.swap, "Mutual")
      case .following: (.check, "Following")
      case .followedBy: (.incoming, "Follows you")
      case .some(.none): (.minus, "None")
      }
    return "<span class=\"rel\">\(icon.html)\(words)</span>"
  }
}
