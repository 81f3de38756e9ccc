// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations
import KithRelationships

/// The follow button of an account, in each of its states: what it shows is a `FollowButton`, which knows nothing of pages.
struct FollowButtonView {
  /// How it looks. Several may be combined.
  enum Style: String, CaseIterable {
    case standard, compact, pill, minimal, outlined

    /// In the row of a table.
    static let row: [Style] = [.compact, .outlined]
  }

  let row: FollowButtonRow
  /// What people call the account.
  let name: String
  let viewer: AccountInUse
  var styles: [Style] = [.standard]
  /// Its followers, which are shown in the button; an inner nil if the number is unknown, and nil to show none.
  var count: Int??
  /// Why the last change was not made; nil if there was none, or if it was made.
  var failure: String?

  /// The form that the buttons of a page are part of.
  static let form = "change"

  private var button: FollowButton { row.button }

  /// The button, where the script puts it again when something has changed.
  var html: HTML {
    if row.isItself { return "<span class=\"tag\">\(Icon.at.html)<span class=\"cut\">You</span></span>" }
    let styleNames = styles.map(\.rawValue).joined(separator: " ")
    let counted: HTML? = count == nil ? nil : " data-counted"
    return """
      <span class="fbw" data-fb="\(row.account.description)" data-styles="\(styleNames)"\(counted)>\(control)\(problem)</span>
      """
  }

  // MARK: The control

  private var control: HTML {
    let state = button.state
    switch button.action {
    case .follow, .unfollow, .request, .cancelRequest, .checkAgain: return submit(state)
    case .unblock:
      return """
        <a class="fb\(classes)" data-s="blocked" data-ask href="\(viewer.address("ask/unblock/\(row.account)"))" \
        aria-label="\(label)">\(face(Words(icon: .block, text: "Blocked"), over: Words(icon: .undo, text: "Unblock")))</a>
        """
    case .openList(let list):
      return """
        <a class="fb\(classes)" data-s="bylist" href="\(ListAddress.page(list))" rel="noopener noreferrer nofollow" \
        aria-label="\(label)">\(face(Words(icon: .block, text: "Blocked by list"), over: Words(icon: .list, text: "Open list")))</a>
        """
    case nil:
      let words = Words(of: state, button)
      return
        "<span class=\"fb st\(classes)\" data-s=\"\(state.name)\" aria-label=\"\(label)\">\(words.html)\(countHTML)</span>"
    }
  }

  private func submit(_ state: FollowButton.State) -> HTML {
    var later = button
    // What a tap leads to is shown before it is known.
    _ = later.tap()
    let next = later.upcoming.map { Words(of: $0, button).text }
    let change = button.action.flatMap(AccountChange.init).map { "\($0.rawValue) \(row.account)" }
    let isUndoable = [.following, .mutual, .requested].contains(state)
    return """
      <button class="fb\(classes)\(isUndoable ? " un" : "")" data-s="\(state.name)" form="\(Self.form)" name="do" \
      value="\(change ?? "check \(row.account)")" data-next="\(next ?? "Checking")" aria-label="\(label)">\
      \(face(Words(of: state, button), over: over))\(countHTML)</button>
      """
  }

  /// The classes of the styles; the standard one has none.
  private var classes: String { styles.filter { $0 != .standard }.map { " \($0.rawValue)" }.joined() }

  /// An icon and a word.
  private struct Words {
    let icon: Icon?
    let text: String

    init(icon: Icon?, text: String) { (self.icon, self.text) = (icon, text) }

    /// What a state is called.
    init(of state: FollowButton.State, _ button: FollowButton) {
      let asks = button.action == .request
      self =
        switch state {
        case .follow: Words(icon: .plus, text: asks ? "Ask to follow" : "Follow")
        case .followBack: Words(icon: .plus, text: asks ? "Ask to follow" : "Follow back")
        case .following: Words(icon: .check, text: "Following")
        case .mutual: Words(icon: .swap, text: "Mutual")
        case .requested: Words(icon: .clock, text: "Requested")
        case .busy: Words(icon: .spin, text: "Saving")
        case .blocked: Words(icon: .block, text: "Blocked")
        case .blockedByList: Words(icon: .block, text: "Blocked by list")
        case .blocksYou: Words(icon: .lock, text: "Blocks you")
        case .gone: Words(icon: .gone, text: button.absence?.word ?? "Gone")
        case .unknown: Words(icon: .question, text: "Unknown")
        }
    }

    var html: HTML { "\(icon?.html)<span>\(text)</span>" }
    var bare: HTML { "\(icon?.html)\(text)" }
  }

  /// What is shown on hover and focus; nil if nothing else is.
  private var over: Words? {
    switch button.action {
    case .unfollow: Words(icon: .x, text: "Unfollow")
    case .cancelRequest: Words(icon: .x, text: "Cancel request")
    case .checkAgain: Words(icon: .refresh, text: "Check again")
    default: nil
    }
  }

  /// Both labels share one cell, so that the width stays.
  private func face(_ words: Words, over: Words?) -> HTML {
    guard let over else { return words.html }
    return
      "<span class=\"sw\"><span class=\"off\">\(words.bare)</span><span class=\"on\" aria-hidden=\"true\">\(over.bare)</span></span>"
  }

  private var countHTML: HTML? {
    count.map {
      "<span class=\"ct\" data-count=\"\(row.account.description) followers\">\(Figure.words($0))</span>"
    }
  }

  // MARK: Words

  /// State, account and action, for those who do not see the button.
  private var label: HTML {
    let counted: HTML? = count.map { ", \(Figure.words($0)) followers" }
    let name: HTML = "\(guestValue: name)"
    let words: HTML =
      switch button.state {
      case .follow: button.action == .request ? "Ask \(name) to follow" : "Follow \(name)"
      case .followBack:
        button.action == .request
          ? "Ask \(name) to follow back. Follows you" : "Follow back \(name). Follows you"
      case .following: "Following \(name). Unfollow"
      case .mutual: "Mutual: you and \(name) follow each other. Unfollow"
      case .requested: "Requested: \(name) has not answered. Cancel request"
      case .busy: "Saving: \(name)"
      case .blocked: "Blocked: \(name). Unblock"
      case .blockedByList: "Blocked by list: \(name). Open list"
      case .blocksYou: "\(name) blocks you"
      case .gone: "\(name): \(button.absence?.word ?? "Gone")"
      case .unknown: "Unknown: \(name) could not be checked. Check again"
      }
    return "\(words)\(counted)"
  }

  private var problem: HTML? {
    guard let failure else { return nil }
    return "<span class=\"xs bad\" role=\"alert\">\(guest: failure)</span>"
  }
}

extension FollowButtonView {
  /// The form of a page that its buttons are part of.
  ///
  /// - Parameter back: the page that a change leads back to.
  static func form(of account: AccountInUse, _ visit: Visit, leadingBackTo back: String) -> HTML {
    """
    <form method="post" action="\(account.address("change"))" id="\(form)">\(visit.formField)\
    <input type="hidden" name="back" value="\(back)"></form>
    """
  }
}

extension AccountInUse {
  /// What the follow buttons of accounts show.
  func followButtons(
    of accounts: [DID], askingAgain asksAgain: Bool = false
  ) async throws -> [DID: FollowButtonRow] {
    let run = try await GatheredRun(
      ShowFollowButtons(accounts, askingAgain: asksAgain), in: workspace, most: accounts.count)
    return Dictionary(run.rows.map { ($0.account, $0) }) { first, _ in first }
  }
}

extension FollowButton.State {
  /// What the style sheet calls it.
  fileprivate var name: String {
    switch self {
    case .follow, .followBack: "follow"
    case .blockedByList: "bylist"
    case .blocksYou: "blocksyou"
    default: rawValue
    }
  }
}

extension AccountStatus {
  /// Such as `Deactivated`.
  var word: String { rawValue.capitalizedFirst }
}

extension AccountChange {
  /// What a tap on a follow button does; nil for what changes nothing, or asks first.
  fileprivate init?(_ action: FollowButton.Action) {
    switch action {
    case .follow: self = .follow
    case .unfollow: self = .unfollow
    case .request: self = .request
    case .cancelRequest: self = .cancel
    case .unblock, .openList, .checkAgain: return nil
    }
  }
}

/// Where a list is shown: in the app of Bluesky.
enum ListAddress {
  static func page(_ list: ATURI) -> String {
    "https://bsky.app/profile/\(list.authority)/lists/\(list.recordKey?.description ?? "")"
  }
}
