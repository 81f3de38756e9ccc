// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// Options of every command that lists accounts.
struct ListingOptions: ParsableArguments {
  /// What rows are sorted by.
  enum Key: String, ExpressibleByArgument, CaseIterable, Sendable {
    case handle
    case name
    /// The most followed first.
    case followers
    /// The latest first.
    case followedAt = "followed-at"
  }

  @Option(help: ArgumentHelp("List so many at most.", valueName: "n"))
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Go on where an earlier listing ended, by the cursor that it told; repositories are not read then.",
      valueName: "cursor"), transform: Self.cursor)
  var cursor: ListingCursor?

  @Option(help: ArgumentHelp("Sort by this, once all are read.", valueName: "key"))
  var sort: Key?

  @Option(
    help: ArgumentHelp(
      "Only those whose handle, name or bio hold this text, whatever its case and accents. May be repeated.",
      valueName: "text"))
  var filter: [String] = []

  @Option(
    help: ArgumentHelp(
      "Only edges made since then: a date, or a span back from now.", valueName: "date|span"))
  var since: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only those for whom this holds, as \"mutual and not blocked and followers > 1000\". May be repeated.",
      valueName: "predicate"))
  var predicate: [String] = []

  @Flag(help: "Tell when each edge was made; of followers at one call more for every 30.")
  var dates = false

  @Flag(
    help: "Tell what became of each account, at one call more for every one that the AppView does not show.")
  var status = false

  @OptionGroup var cost: ExplainOptions

  mutating func validate() throws {
    if let limit, limit < 1 { throw ValidationError("--limit takes a whole number from 1, not \(limit).") }
    if cursor != nil, sort != nil {
      throw ValidationError(
        "--sort needs all of a listing, and --cursor leaves out its beginning; leave one out.")
    }
  }

  static func cursor(_ text: String) throws -> ListingCursor {
    guard let cursor = ListingCursor(text) else {
      throw ValidationError("it takes what a listing told: a number, a dot, and the server's own cursor")
    }
    return cursor
  }

  /// What rows tell beside names.
  var details: Listings.Details {
    var details: Listings.Details = []
    if dates || since != nil || sort == .followedAt { details.insert(.dates) }
    if sort == .followers { details.insert(.counts) }
    if status { details.insert(.status) }
    return details
  }

  /// Who is wanted among those whom a command lists.
  ///
  /// - Parameter segments: the predicates that names stand for.
  /// - Throws: ``CommandFault`` that names the option at fault.
  func predicate(
    narrowing listed: AccountPredicate?, now: Datetime, segments: [String: String]
  ) throws(CommandFault) -> AccountPredicate? {
    var all = [listed]
    all += filter.map { AccountPredicate(wordsContaining: $0) }
    if let since { all.append(AccountPredicate(followedSince: try Self.moment(since, now: now))) }
    all.append(try AccountPredicate(options: predicate, now: now, segments: segments))
    let predicates = all.compactMap(\.self)
    return predicates.first.map { predicates.dropFirst().reduce($0, &&) }
  }

  /// A date, or a span back from now, as an option names it.
  ///
  /// - Throws: ``CommandFault`` for what is neither.
  static func moment(_ text: String, now: Datetime) throws(CommandFault) -> Datetime {
    if let date = Datetime(text) ?? Datetime("\(text)T00:00:00Z") { return date }
    guard let span = try? Span(parsing: text) else { throw CommandFault(.usage, .invalidSince(text)) }
    let back = Int64(span.duration.components.seconds) * 1_000_000
    return Datetime(microsecondsSinceEpoch: now.microsecondsSinceEpoch - back)
  }
}

extension AccountPredicate {
  /// Reads what `--where` says, each time that it stands there: all of it has to hold; nil where it says nothing.
  ///
  /// - Throws: ``CommandFault`` that shows where it goes wrong.
  init?(options texts: [String], now: Datetime, segments: [String: String]) throws(CommandFault) {
    var whole: AccountPredicate?
    for text in texts {
      do throws(PredicateError) {
        let predicate = try AccountPredicate(parsing: text, now: now, segments: segments)
        whole = whole.map { $0 && predicate } ?? predicate
      } catch {
        throw CommandFault(.usage, .invalidPredicate(text, error))
      }
    }
    guard let whole else { return nil }
    self = whole
  }
}
