// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension AccountViewRow: PrintableRow {
  /// The fields, for the help of every listing.
  static let help = """
    Fields of each row: did, handle, displayName, since (when the relationship was created, according to its \
    author), record, followers, follows, posts, createdAt, status, sinceSource (record or key, whose date \
    since is), until and scope (of your own follows, blocks and mutes that Kith made with an end or for a part), graph (of the follow), friend, requested and requestedBy (with --requests, or where --where asks), relationship and muted (with --relationship); null if not requested or unknown. \(PlanRow.help)
    """

  static let headings = ["ACCOUNT", "SINCE", "NAME"]

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(view.name, whole: true),
      TableRow.Cell(view.since.map { String($0.description.prefix(10)) } ?? ""), name(at: now),
    ])
  }

  var unnamed: [DID] { view.handle == nil ? [view.account] : [] }

  func named(by known: [DID: AccountView]) -> AccountViewRow {
    guard view.handle == nil, let found = known[view.account] else { return self }
    return AccountViewRow(
      view: view.named(by: found), standing: standing, graph: graph, asksRelationship: asksRelationship)
  }

  private func name(at now: Datetime) -> TableRow.Cell {
    let followers = view.counts?.followers.map { "\($0) follower\($0 == 1 ? "" : "s")" }
    let status = view.status.flatMap { $0 == .active ? nil : $0.rawValue }
    let scope = standing?.scope?.partWords
    let end = standing?.until.map { "ends \(RelativeTimeText.relative($0, to: now))" }
    let app = graph.flatMap { $0 == .bluesky ? nil : $0.name }
    let relationship = asksRelationship ? view.relationship?.words : nil
    let more = [relationship, app, followers, status, scope, end, view.friendship?.words].compactMap(\.self)
      .joined(separator: ", ")
    let words = [view.displayName ?? "", more.isEmpty ? "" : "(\(more))"].filter { !$0.isEmpty }
    return TableRow.Cell(words.joined(separator: " "), status == nil ? nil : .bad)
  }
}
