// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// Options of commands that list accounts.
struct ListingOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: .limit)
  var limit: Int?

  @Option(
    help: ArgumentHelp(
      "Continue an earlier listing at the cursor that it printed; reads no repositories.",
      valueName: "cursor"), transform: Self.cursor)
  var cursor: ListingCursor?

  @Option(help: ArgumentHelp("Sort rows by this key, after all are read.", valueName: "key"))
  var sort: ListAccounts.Key?

  @Option(
    help: ArgumentHelp(
      "Only accounts with this text in handle, name or bio; ignores case and accents. May be repeated.",
      valueName: "text"))
  var filter: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Only relationships created since: a date (UTC), or a time span before now.", valueName: "date|span"))
  var since: String?

  @Option(
    name: .customLong("where"),
    help: ArgumentHelp(
      "Only accounts that match, such as \"mutual and not blocked and followers > 1000\". May be repeated.",
      valueName: "predicate"), completion: .predicate)
  var predicate: [String] = []

  @Flag(help: "Add the date of each relationship (for followers: 1 extra call per 30).")
  var dates = false

  @Flag(
    help: "Add the status of each account (1 extra call for each that the AppView does not show).")
  var status = false

  @Flag(
    help:
      "Fill in friend, requested and requestedBy (1 extra call for each account, and more where there is a request)."
  )
  var requests = false

  @Flag(
    help:
      "Fill in relationship and muted: how you and each account are related (1 extra call for 30 accounts, none where the answer says it)."
  )
  var relationship = false

  @Flag(help: .explain) var explain = false

  mutating func validate() throws {
    try limit?.check(isIn: (1...), for: "--limit")
    if cursor != nil, sort != nil {
      throw ValidationError(
        "--sort needs the whole listing, but --cursor skips its beginning; omit one of them.")
    }
  }

  static func cursor(_ text: String) throws -> ListingCursor {
    guard let cursor = ListingCursor(text) else {
      throw ValidationError(
        "use the cursor that a listing printed: a number, perhaps with a dot and the server's cursor")
    }
    return cursor
  }

  /// The details of rows beyond names.
  var details: Listings.Details {
    var details: Listings.Details = []
    if dates || since != nil || sort == .followedAt { details.insert(.dates) }
    if sort == .followers { details.insert(.counts) }
    if status { details.insert(.status) }
    if requests { details.insert(.requests) }
    if relationship { details.insert(.relationship) }
    return details
  }

  /// The filter on the accounts that a command lists.
  ///
  /// - Parameter segments: the predicates that names stand for.
  /// - Throws: ``CommandFault`` that names the invalid option.
  func predicate(
    narrowing listed: AccountPredicate?, now: Datetime, segments: [String: String]
  ) throws(CommandFault) -> AccountPredicate? {
    var all = [listed]
    if filter.contains(where: { $0.allSatisfy(\.isWhitespace) }) { throw CommandFault(.usage, .emptyFilter) }
    all += filter.map { AccountPredicate(wordsContaining: $0) }
    if let since { all.append(AccountPredicate(followedSince: try Self.moment(since, now: now))) }
    all.append(try AccountPredicate(options: predicate, now: now, segments: segments))
    let predicates = all.compactMap(\.self)
    return predicates.first.map { predicates.dropFirst().reduce($0, &&) }
  }

  /// Parses a date, or a time span before now.
  ///
  /// - Throws: ``CommandFault`` for anything else.
  static func moment(_ text: String, now: Datetime) throws(CommandFault) -> Datetime {
    if let date = date(text) { return date }
    guard let span = try? DurationOption(parsing: text) else {
      throw CommandFault(.usage, .invalidSince(text))
    }
    return Datetime(at: now.instant - span.duration)
  }

  /// A date, with or without a time (UTC); nil for any other text.
  static func date(_ text: String) -> Datetime? { Datetime(text) ?? Datetime("\(text)T00:00:00Z") }
}

extension ListAccounts.Key: ExpressibleByArgument {}

extension AccountPredicate {
  /// Parses all `--where` options; all must hold. Nil if there are none.
  ///
  /// - Throws: ``CommandFault`` with the position of a syntax error.
  init?(options texts: [String], now: Datetime, segments: [String: String]) throws(CommandFault) {
    var whole: AccountPredicate?
    for text in texts {
      do throws(OperationError) {
        let predicate = try AccountPredicate(checking: text, now: now, segments: segments)
        whole = whole.map { $0 && predicate } ?? predicate
      } catch {
        throw CommandFault(error)
      }
    }
    guard let whole else { return nil }
    self = whole
  }
}
