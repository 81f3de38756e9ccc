// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithOperations
import KithRelationships

/// What stands beside a follow button, in few words.
struct Badges {
  let row: FollowButtonRow

  private var button: FollowButton { row.button }

  /// One badge for each fact; nothing for what is usual.
  var all: [HTML] { [followsYou, muted].compactMap(\.self) }

  /// A badge.
  static func html(_ icon: Icon, _ words: HTML, _ kind: String = "") -> HTML {
    "<span class=\"tag\(kind.isEmpty ? "" : " \(kind)")\">\(icon.html)<span class=\"cut\">\(words)</span></span>"
  }

  private var followsYou: HTML? {
    guard button.followsYou == true, ![.mutual, .gone].contains(button.state) else { return nil }
    return Self.html(.incoming, "Follows you")
  }

  var muted: HTML? {
    let words: HTML? =
      switch button.mute {
      case nil: nil
      case .whole?, .direct(.everything)?: "Muted"
      case .direct(.reposts)?: "Reposts muted"
      case .direct(.quotes)?: "Quotes muted"
      case .byList?: "Muted by list"
      }
    guard let words else { return nil }
    guard let end = button.muteEnds else { return Self.html(.mute, words, "at") }
    return Self.html(.mute, "\(words) until \(PageTime.html(end))", "at")
  }

  /// A sentence about a state that needs one; nil for any other.
  var sentence: HTML? {
    switch button.state {
    case .following: button.followingSince.map { "You have followed them since \(PageTime.day($0))." }
    case .mutual: button.followingSince.map { "You have followed them since \(PageTime.day($0))." }
    case .requested:
      button.openRequest.map { request in
        let end: HTML? = request.expiresAt.map { ", ends \(PageTime.day($0))" }
        return "Asked \(PageTime.day(request.createdAt))\(end). They may not see it."
      }
    case .blocked: "You block this account. Their posts are hidden from you, yours from them."
    case .blockedByList:
      "You block this account by \(list(button.blockingList)). Remove it from the list to unblock it."
    case .blocksYou:
      button.blockedByList == nil
        ? "This account blocks you directly." : "This account blocks you by \(list(button.blockedByList))."
    case .gone:
      switch button.absence {
      case .deactivated: "Deactivated by its owner."
      case .suspended: "Suspended or taken down by its server."
      default: "This account does not exist any more."
      }
    case .unknown: "The relationship is unknown: \(cause)"
    case .follow, .followBack, .busy: nil
    }
  }

  private var cause: HTML {
    if case .lookup(let error)? = button.problem { return "\(Failure(error).sentence)." }
    return "the AppView did not say it."
  }

  private func list(_ list: ATURI?) -> HTML {
    guard let list else { return "a list" }
    let name = row.lists[list] ?? "\(list)"
    return
      "the list <a href=\"\(ListAddress.page(list))\" rel=\"noopener noreferrer nofollow\">\(guest: name)</a>"
  }
}
