// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithOperations
import KithRelationships
import KithWording

/// An account that may be worth a follow, and why.
struct PersonCard {
  private static let mostReasons = 3
  /// The most names in a reason.
  private static let mostNames = 2
  /// The age below which it is said in days how old an account is.
  private static let young = Duration.seconds(30 * 86_400)

  let row: PersonRow
  /// Nil if it is unknown how the accounts are related.
  let button: FollowButtonRow?
  let kind: DiscoverRequest.Kind
  let canDismiss: Bool
  let viewer: AccountInUse

  private var view: AccountView { row.view }
  private var account: DID { row.view.account }
  private var name: String { AccountCell.name(of: row.view) }

  var html: HTML {
    let about: HTML? = view.description.flatMap { $0.isEmpty ? nil : "\(guest: $0)" }
    let button = button.map {
      FollowButtonView(row: $0, name: name, viewer: viewer, styles: [.compact, .outlined]).html
    }
    return """
      <li class="card stack" data-person="\(account.description)"><div class="line sp n">\(AccountCell(view: view, viewer: viewer).html)\(dismissal)</div>\
      <p class="s bio" dir="auto">\(about)</p><ul class="pts">\(reasons)</ul>\
      <div class="line sp n"><span class="m xs">\(followers)</span>\(button)</div></li>
      """
  }

  private var dismissal: HTML? {
    guard canDismiss else { return nil }
    return """
      <button class="b ic sm" form="\(DismissedPeople.form)" name="dismiss" value="\(account.description)" \
      aria-label="Do not suggest \(guestValue: name) again" title="Do not suggest again">\(Icon.x.html)</button>
      """
  }

  private var followers: HTML {
    let count = view.counts?.followers
    return """
      <span data-count="\(account.description) followers" aria-live="polite">\(Figure.words(count))</span> \(count == 1 ? "follower" : "followers")
      """
  }

  // MARK: Reasons

  /// The strongest first; a label always has a place, because it may speak against the account.
  private var reasons: [HTML] {
    let labels = self.labels
    let most = Self.mostReasons - (labels == nil ? 0 : 1)
    let others = [followsYou, common, lists, age].compactMap(\.self).prefix(most)
    return others + [labels].compactMap(\.self)
  }

  private func reason(_ icon: Icon, _ words: HTML) -> HTML { "<li>\(icon.html)<span>\(words)</span></li>" }

  private var followsYou: HTML? {
    guard view.relationship?.word == .followedBy || view.relationship?.word == .mutual else { return nil }
    guard kind == .recent, let since = view.since else { return reason(.incoming, "Follows you") }
    return reason(.incoming, "Follows you since \(PageTime.day(since))")
  }

  /// Who of those that the account follows follows them.
  private var common: HTML? {
    let count = row.closeness?.paths ?? view.relationship?.knownFollowers ?? 0
    guard count > 0 else { return nil }
    let names = row.followedBy.prefix(Self.mostNames).map { "\(guest: AccountCell.name(of: $0))" as HTML }
    let joined: HTML? = names.first.map { first in names.count > 1 ? "\(first) and \(names[1])" : first }
    let lead: HTML =
      "Followed by \(Figure.words(count)) \(count == 1 ? "account" : "accounts") that you follow"
    guard let joined else { return reason(.people, lead) }
    return reason(.people, count > names.count ? "\(lead), among them \(joined)" : "\(lead): \(joined)")
  }

  private var lists: HTML? {
    guard let list = row.lists.first else { return nil }
    let title: HTML = """
      <a href="\(ListAddress.page(list.uri))" rel="noopener noreferrer nofollow">\(guest: list.name)</a>
      """
    let noun: HTML = list.isOfPack ? "starter pack" : "list"
    if row.lists.count == 1 { return reason(.list, "Shares the \(noun) \(title) with you") }
    return reason(
      .list, "Shares \(Figure.words(row.lists.count)) lists and starter packs with you, among them \(title)")
  }

  private var labels: HTML? {
    guard !row.labels.isEmpty else { return nil }
    let words = row.labels.prefix(Self.mostNames).enumerated().reduce(into: HTML()) { words, part in
      let label = part.element
      let source: HTML =
        label.label.source == account
        ? "the author" : "\(guest: label.sourceName ?? label.label.source.description)"
      words += "\(part.offset == 0 ? "" : ", ")\(guest: label.label.value), by \(source)"
    }
    let more = row.labels.count - Self.mostNames
    let rest: HTML? = more > 0 ? ", and \(more) more" : nil
    return reason(.tag, "\(row.labels.count == 1 ? "Label" : "Labels"): \(words)\(rest)")
  }

  private var age: HTML? {
    view.createdAt.map { time in
      let now = viewer.workspace.time.instant
      return reason(
        .clock,
        now - time.instant < Self.young
          ? "Account made \(PageTime.relative(time, to: now))" : "Account since \(PageTime.day(time))")
    }
  }
}
