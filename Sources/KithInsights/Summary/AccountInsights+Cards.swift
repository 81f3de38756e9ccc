// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The summary: a sentence, and the key figures.
extension AccountInsights {
  /// How many follow, what changed, and who came and left, each with its own times; nil if the count is not known.
  ///
  /// The count is that of the profile. Who came and left is known from listings, which lack some followers that the
  /// profile counts, so the two are separate statements.
  var headline: String? {
    guard let followers = overview?.followers else { return nil }
    return [countSentence(followers), changes.map(sentence), unlistedSentence(followers), staleSentence]
      .compactMap(\.self)
      .joined(separator: " ")
  }

  private func countSentence(_ followers: Trend) -> String {
    var text = "\(Self.text(followers.value)) \(followers.value == 1 ? "follower" : "followers")"
    if !isPast, at - followers.at > .days(1) { text += " on \(Moment.dayText(followers.at, clock))" }
    guard let change = followers.change, let since = followers.since else {
      return "\(text). The first count is of \(Moment.dayText(followers.firstAt, clock))."
    }
    let isSameDay = Moment.dayText(since, clock) == Moment.dayText(followers.at, clock)
    let moment = isSameDay ? "at \(Moment.timeText(since, clock))" : "on \(Moment.dayText(since, clock))"
    return change == 0
      ? "\(text), as many as \(moment)."
      : "\(text), \(Self.text(abs(change))) \(change > 0 ? "more" : "fewer") than \(moment)."
  }

  /// Who came and who left, and between which snapshots.
  func sentence(_ changes: AudienceChanges) -> String {
    let (totals, pair) = (changes.totals, changes.pair)
    let days = (Moment.dayText(pair.first.endedAt, clock), Moment.dayText(pair.last.endedAt, clock))
    let start = days.0 == days.1 ? momentText(pair.first.endedAt) : days.0
    let time = "from \(start) to the snapshot of \(momentText(pair.last.endedAt))"
    let (came, left) = (Self.text(totals.came), Self.text(totals.left))
    let main =
      totals.came + totals.left == 0
      ? "No follower came or left \(time)." : "\(came) came and \(left) left \(time)."
    return ([main] + hiddenSentences(totals)).joined(separator: " ")
  }

  /// Why the count changed by another number than that of those who came and left; nil if it did not.
  private func unlistedSentence(_ followers: Trend) -> String? {
    guard let totals = changes?.totals, let change = followers.change, change != totals.came - totals.left
    else { return nil }
    return "The count also includes accounts that no listing shows."
  }

  private func hiddenSentences(_ totals: AudienceChanges.Totals) -> [String] {
    func areOr(_ count: Int) -> String { "\(Self.text(count)) \(count == 1 ? "is" : "are")" }
    return [
      totals.hidden > 0 ? "\(areOr(totals.hidden)) hidden by your own blocks, and did not leave." : nil,
      totals.shown > 0 ? "\(areOr(totals.shown)) shown again, because you have ended a block." : nil,
    ].compactMap(\.self)
  }

  /// That the count has changed since the last listing; nil if it has not.
  private var staleSentence: String? {
    guard let listing, let change = changeSinceListing else { return nil }
    return "Followers were last listed on \(momentText(listing.endedAt)), and the count has changed by "
      + "\(ValueKind.count.signedText(Double(change))) since."
  }

  /// When the followers were last listed, for a subtitle.
  var listingText: String? { listing.map { "followers listed on \(momentText($0.endedAt))" } }

  /// `5 Mar 2026, 14:05`.
  func momentText(_ moment: Instant) -> String {
    "\(Moment.dayText(moment, clock)), \(Moment.timeText(moment, clock))"
  }

  static func text(_ count: Int) -> String { ValueKind.count.text(Double(count)) }

  // MARK: Cards

  /// The key figures with their changes.
  public var cards: [InsightReport.Card] {
    guard let overview else { return goal.map { [card($0)] } ?? [] }
    var cards = [
      overview.followers.map { card("Followers", $0, isMoreBetter: true, of: .followers) },
      overview.follows.map { card("Following", $0, of: .follows) }, overview.posts.map { card("Posts", $0) },
      overview.ratio.map {
        InsightReport.Card(
          "Ratio", Decimal.text($0, digits: 2), detail: "followers / following")
      },
      overview.mutuals.map { mutualCard($0, overview) },
      overview.blocks.map { card("Blocking", $0, of: .blocks) },
    ].compactMap(\.self)
    if let goal { cards.append(card(goal)) }
    return cards
  }

  private func mutualCard(_ mutuals: Int, _ overview: Overview) -> InsightReport.Card {
    let unlisted = overview.unlistedFollowers ?? 0
    let detail =
      unlisted > 0
      ? "\(Self.text(unlisted)) more may follow back"
      : overview.mutualRate.map { "\(ValueKind.share.text($0)) follow back" }
    var card = InsightReport.Card(
      "Mutuals", (unlisted > 0 ? "≥ " : "") + Self.text(mutuals), change: overview.mutualsAt.flatMap(ageText),
      detail: detail)
    card.subject = .mutuals
    return card
  }

  private func card(
    _ label: String, _ trend: Trend, isMoreBetter: Bool = false, of subject: InsightReport.Card.Subject? = nil
  ) -> InsightReport.Card {
    let sense: InsightReport.Card.Sense =
      switch trend.change {
      case let change? where isMoreBetter && change != 0: change > 0 ? .better : .worse
      default: .neutral
      }
    let before = trend.changeBefore.flatMap { change in
      trend.sinceBefore.flatMap { before in
        trend.since.map { changeText(change, from: before, to: $0, isBefore: true) }
      }
    }
    var card = InsightReport.Card(
      label, Self.text(trend.value), change: changeText(trend), sense: sense,
      detail: ageText(trend.at) ?? before)
    card.subject = subject
    return card
  }

  /// The change of a count, and since when; nil if that is not known.
  func changeText(_ trend: Trend) -> String? {
    trend.change.flatMap { change in
      trend.since.map { changeText(change, from: $0, to: trend.at) }
    }
  }

  /// A change and its time, in days or since a day.
  private func changeText(
    _ change: Int, from start: Instant, to end: Instant, isBefore: Bool = false
  ) -> String {
    let text = change == 0 ? "no change" : ValueKind.count.signedText(Double(change))
    let days = clock.period(.day, at: end).firstDay - clock.period(.day, at: start).firstDay
    if isBefore { return "\(text) in the \(days == 1 ? "day" : "\(days) days") before" }
    switch days {
    case ...0: return "\(text) since \(Moment.timeText(start, clock))"
    // More than a year, as a range of a year begins between two counts.
    case ...400: return "\(text) in \(days == 1 ? "a day" : "\(days) days")"
    default: return "\(text) since \(Moment.dayText(start, clock))"
    }
  }

  /// The time of a number that is older than it seems; nil for one of the last hour.
  private func ageText(_ moment: Instant) -> String? {
    !isPast && at - moment > .seconds(3_600)
      ? "as of \(Moment.tableText(moment, clock, withTime: true))" : nil
  }

  private func card(_ goal: GoalProgress) -> InsightReport.Card {
    let detail: String? =
      switch goal.outlook {
      case .reached: nil
      case .expected(let moment): "expected around \(Moment.dayText(moment, .utc))"
      case .notBy(let end): "not expected by \(Moment.dayText(end, .utc))"
      case .noForecast: "no forecast"
      }
    return InsightReport.Card(
      "Goal: \(Self.text(goal.goal))",
      goal.isReached ? "reached" : "\(Self.text(goal.goal - goal.value)) to go",
      sense: goal.isReached ? .better : .neutral, detail: detail)
  }
}
