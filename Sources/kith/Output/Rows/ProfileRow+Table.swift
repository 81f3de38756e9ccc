// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension ProfileRow: PrintableRow {
  /// The fields, for help.
  static let help = """
    Fields of the row: did, handle, displayName, description, pronouns, website, page, avatar, banner, created, status, \
    followers, follows, posts, verified, labels (value and source of each), relationship (self, blocking, blocked-by, \
    mutual, following, followed-by or none), muted, followingSince, followedSince, knownFollowers (how many of those \
    you follow follow it, as the AppView counts them), knownFollowerNames (some of them), lists (uri and name), latest \
    (at, uri and text of its latest posts). Null if unknown or absent.
    """

  static let headings: [String] = []

  func tableRow(at now: Datetime) -> TableRow {
    var heading = [TableRow.Cell(view.name, .strong)]
    if let name = view.displayName, !name.isEmpty { heading.append(TableRow.Cell(name)) }
    if view.marks?.isVerified == true { heading.append(TableRow.Cell("verified", .good)) }
    if let pronouns, !pronouns.isEmpty { heading.append(TableRow.Cell("(\(pronouns))", .faint)) }
    var body: [TableRow.Cell] = []
    func line(_ words: String?, _ colour: Palette.Colour? = nil) {
      if let words, !words.isEmpty { body.append(TableRow.Cell(words, colour)) }
    }
    if let status = view.status, status != .active {
      line("not shown by the AppView: \(status.rawValue)", .bad)
    } else if view.status == nil {
      line("not shown by the AppView; the reason is unknown", .bad)
    }
    for text in (view.description ?? "").split(whereSeparator: \.isNewline) { line(String(text)) }
    line(counts)
    line(relationship, view.relationship?.isBlocked == true ? .bad : .strong)
    line(knownFollowers(view.relationship?.knownFollowers))
    if !lists.isEmpty { line("on the lists \(lists.map(\.name).joined(separator: ", "))") }
    if let labels = view.marks?.labels, !labels.isEmpty {
      let words = labels.map { $0.text(about: view.account) }
      line("labels: \(words.joined(separator: ", "))", .bad)
    }
    line(website, .faint)
    line(avatar.map { "[picture] \($0)" }, .faint)
    line(banner.map { "[banner] \($0)" }, .faint)
    line("\(page)  \(view.account)", .faint)
    for post in posts ?? [] {
      let text = post.text.inOneLine
      line("\(RelativeTimeText.relative(post.writtenAt, to: now)): \(text.isEmpty ? "(no text)" : text)")
    }
    return TableRow(cells: heading, body: body)
  }

  private var counts: String? {
    let counts = view.counts
    let words = [
      counts?.followers.map { "\($0) follower\($0 == 1 ? "" : "s")" },
      counts?.follows.map { "follows \($0)" },
      counts?.posts.map { "\($0) post\($0 == 1 ? "" : "s")" },
      view.createdAt.map { "since \($0.description.prefix(10))" },
    ].compactMap(\.self)
    return words.joined(separator: ", ")
  }

  private var relationship: String? {
    guard let relationship = view.relationship, let words = relationship.words else { return nil }
    let dates = [
      followingSince.map { "you follow since \($0.description.prefix(10))" },
      followedSince.map { "follows you since \($0.description.prefix(10))" },
    ].compactMap(\.self).joined(separator: ", ")
    if dates.isEmpty { return words }
    // The dates say it themselves.
    let isSaid = [.following, .followedBy].contains(relationship.word) && relationship.muted != true
    return isSaid ? dates : "\(words): \(dates)"
  }

  private func knownFollowers(_ count: Int?) -> String? {
    guard let count, count > 0 else { return nil }
    let names = knownFollowers.map(\.name).joined(separator: ", ")
    return "followed by \(count) you follow"
      + (names.isEmpty ? "" : ": \(names)\(count > knownFollowers.count ? ", …" : "")")
  }
}
