// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension PersonRow: PrintableRow {
  /// The fields, for help.
  static let help = """
    Fields of each row: did, handle, displayName, relationship (self, blocking, blocked-by, mutual, following, \
    followed-by or none), muted, followers, follows, knownFollowers (those you follow that follow it, as the AppView \
    counts them), verified, labels (value, source and sourceName of each), since (when it followed you), common (how \
    many of those that were looked at follow it), followedBy (the most telling of them), lists (uri and name), score, \
    optOutChecked (true if it is known that it does not ask to be left out of recommendations). Null if unknown or \
    not part of the question.
    """

  static let headings = ["ACCOUNT", "RELATION", "FOLLOWERS", "KNOWN", "NAME", "WHY"]

  /// How many accounts are named as a reason.
  private static let mostNamed = 3

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(view.name, whole: true),
      TableRow.Cell(view.relationship?.words ?? "", view.relationship?.word == .mutual ? .strong : nil),
      TableRow.Cell(view.counts?.followers.map { "\($0)" } ?? ""),
      TableRow.Cell(view.relationship?.knownFollowers.map { "\($0)" } ?? ""),
      TableRow.Cell(name, labels.isEmpty ? nil : .bad), TableRow.Cell(reasons),
    ])
  }

  private var name: String {
    let verified = view.marks?.isVerified == true ? "verified" : nil
    let labels = labels.map { $0.label.text(about: view.account, by: $0.sourceName) }
    let marks = ([verified].compactMap(\.self) + labels).joined(separator: ", ")
    return [view.displayName ?? "", marks.isEmpty ? "" : "[\(marks)]"].filter { !$0.isEmpty }
      .joined(separator: " ")
  }

  private var reasons: String {
    guard let closeness else { return view.since.map { "since \($0.description.prefix(10))" } ?? "" }
    let lists = lists.map { ($0.isOfPack ? "in the starter pack " : "on the list ") + $0.name }
    let named = followedBy.prefix(Self.mostNamed).map(\.name).joined(separator: ", ")
    let followed =
      closeness.paths == 0 || named.isEmpty
      ? nil
      : "followed by \(closeness.paths) you follow: \(named)\(closeness.paths > Self.mostNamed ? ", …" : "")"
    return (lists + [followed].compactMap(\.self)).joined(separator: "; ")
  }
}
