// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithHistory
import KithInsights
import KithOperations
import KithRelationships

/// `kith goal`: a target number of followers.
struct GoalCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "goal",
    abstract: "Set a follower goal, or show its progress.",
    discussion: """
      The expected date is a forecast from the counts of the last weeks, with its 80 % interval. There is \
      none if there are too few counts, or if forecasts of the past were too inaccurate. kith stats also \
      shows the progress.

        kith goal 10000
        kith goal
        kith goal --remove

      \(GoalRow.help)
      """)

  @Argument(help: ArgumentHelp("Number of followers, such as 10000 or 10k.", valueName: "followers"))
  var followers: String?

  @Option(
    help: ArgumentHelp("The goal of this account. Default: yours.", valueName: "account"), completion: .actor)
  var of: String?

  @Flag(help: "Remove the goal.")
  var remove = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { remove ? nil : GoalRow.self }

  mutating func validate() throws {
    if let followers {
      if remove { throw ValidationError("--remove takes no number; omit \(followers).") }
      guard Self.number(followers) != nil else {
        throw ValidationError(
          "A goal must be a whole number of 1 or more, such as 10000 or 10k, not \(followers).")
      }
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let actor = try await wiring.workspace.accounts(named: [of ?? "me"])[0]
    let store = try wiring.workspace.history()
    let view = try await AccountViews(client: wiring.appview).views(of: [actor])[actor]
    let name = actor.name(in: view)
    let now = wiring.time.instant
    if remove {
      let isThere = try await store.goal(of: actor) != nil
      try await store.set(nil, of: actor)
      if !common.quiet { StandardError.say(isThere ? .goalRemoved(name) : .noGoal(name)) }
      return
    }
    guard let counts = view?.counts, let value = counts.followers else {
      throw CommandFault(.unavailable, .followersUnknown(name))
    }
    // Each recorded count improves the next forecast.
    try await store.record(CountsAtTime(at: now, counts), of: actor)
    if let number = followers.flatMap(Self.number) {
      // The same goal again keeps the progress that was made.
      if try await store.goal(of: actor)?.followers != number {
        try await store.set(FollowerGoal(number, from: value, since: now), of: actor)
      }
    }
    guard let goal = try await store.goal(of: actor) else {
      if !common.quiet { StandardError.say(.noGoal(name)) }
      return
    }
    let history = try await store.counts(of: actor, since: .distantPast).filter { $0.at <= now }.counts(
      \.followers)
    let forecast = try? Forecast(of: history, days: Forecast.mostDays)
    let row = GoalRow(
      account: actor, handle: view?.handle, since: goal.since,
      progress: GoalProgress(goal.followers, from: goal.start, now: value, forecast: forecast))
    try common.print(row, environment: wiring.environment)
  }

  private static func number(_ text: String) -> Int? {
    let factors: [Character: Int] = ["k": 1_000, "m": 1_000_000]
    let factor = text.last.flatMap { factors[Character($0.lowercased())] }
    guard let number = Int(factor == nil ? text[...] : text.dropLast()), number > 0 else { return nil }
    let (product, overflow) = number.multipliedReportingOverflow(by: factor ?? 1)
    return overflow || product > 1_000_000_000 ? nil : product
  }
}

/// A goal, as a row.
struct GoalRow: PrintableRow {
  let account: DID
  let handle: Handle?
  let since: Instant
  let progress: GoalProgress

  static let fieldNames = [
    "did", "handle", "goal", "followers", "start", "since", "share", "reached", "expected", "earliest",
    "latest",
  ]

  static let help = """
    Fields: did, handle, goal, followers (now), start (followers when it was set), since, share (of the way, \
    0 to 1), reached, expected, earliest and latest (80 % interval; null if there is no forecast).
    """

  static let headings = ["ACCOUNT", "GOAL", "FOLLOWERS", "DONE", "EXPECTED", "80 % RANGE"]

  private func text(_ moment: Instant?) -> String? {
    moment.map { Datetime(at: $0).description }
  }

  func write(to fields: inout RowEncoder) {
    fields.text(account)
    fields.text(handle?.description)
    fields.number(progress.goal)
    fields.number(progress.value)
    fields.number(progress.start)
    fields.text(text(since))
    fields.number(digits: "\(progress.share)")
    fields.flag(progress.isReached)
    fields.text(text(progress.expected))
    fields.text(text(progress.earliest))
    fields.text(text(progress.latest))
  }

  var tableRow: TableRow {
    func day(_ moment: Instant?) -> String? { text(moment).map { String($0.prefix(10)) } }
    let range = day(progress.earliest).map { "\($0) to \(day(progress.latest) ?? "later")" }
    return TableRow(cells: [
      TableRow.Cell(handle?.description ?? account.description), TableRow.Cell("\(progress.goal)"),
      TableRow.Cell("\(progress.value)"), TableRow.Cell("\(Int((progress.share * 100).rounded(.down))) %"),
      TableRow.Cell(progress.isReached ? "reached" : day(progress.expected) ?? "unknown"),
      TableRow.Cell(range ?? ""),
    ])
  }
}
