// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithRelationships

/// A command that lists accounts.
protocol ListingCommand: RowCommand {
  var options: ListingOptions { get }
  var network: NetworkOptions { get }

  /// The listing and its filter.
  func query(_ wiring: Wiring) async throws -> ListingQuery

  /// The cost, if it is not that of listing the accounts of the query.
  func plan(_ wiring: Wiring) async throws -> CostPlan?
}

extension ListingCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : AccountViewRow.self }

  func plan(_ wiring: Wiring) async throws -> CostPlan? { nil }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let now = Datetime(at: wiring.time.instant)
    // Invalid options are reported before any call.
    let segments = try await wiring.segments(namedIn: options.predicate)
    _ = try options.predicate(narrowing: nil, now: now, segments: segments)
    var query = try await query(wiring)
    query.predicate = try options.predicate(narrowing: query.predicate, now: now, segments: segments)
    if options.cost.explain, let plan = try await plan(wiring) {
      return try common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
    }
    try await ListingRun(wiring: wiring, options: options).print(query)
  }
}

/// Prints the accounts of a listing as they arrive, and reports what could not be listed.
struct ListingRun {
  let wiring: Wiring
  let options: ListingOptions

  private var common: CommonOptions { wiring.common }

  func print(_ query: ListingQuery) async throws {
    if options.cost.explain { return try await explain(query) }
    let cost = CostReport(wiring.meter)
    let progress = wiring.progressLine("listed")
    var accounts = try await accounts(of: query).makeAsyncIterator()
    var count = 0
    var failure: (any Error)?
    do {
      try await common.printing(AccountViewRow.self, environment: wiring.environment, progress: progress) {
        printer in
        for view in try await sorted(&accounts) {
          try printer.print(AccountViewRow(view: view))
          count += 1
        }
        guard options.sort == nil else { return }
        while count < options.limit ?? .max, let view = try await accounts.next() {
          try printer.print(AccountViewRow(view: view))
          count += 1
          progress.advance()
          if accounts.mustWait { try printer.flush() }
        }
      }
    } catch {
      failure = error
    }
    try await conclude(query, accounts, count, cost, failure)
  }

  /// All accounts in the requested order; none without `--sort`.
  private func sorted(_ accounts: inout AccountListing.AsyncIterator) async throws -> [AccountView] {
    guard let key = options.sort else { return [] }
    var views: [AccountView] = []
    while let view = try await accounts.next() { views.append(view) }
    return Array(views.sorted(by: key).prefix(options.limit ?? .max))
  }

  private func accounts(of query: ListingQuery) async throws -> AccountListing {
    try await wiring.accounts(
      query, with: try await details(of: query),
      from: options.cursor, most: options.sort == nil ? options.limit : nil,
      // The status of an account has to be current.
      remembering: !options.status && query.predicate?.needs.status != true)
  }

  /// The details of rows: also dates for the account's own follows, whose repository contains them, and names
  /// for blockers, which no AppView lists.
  private func details(of query: ListingQuery) async throws -> Listings.Details {
    if case .blockers = query.listing { return options.details.union(.names) }
    guard case .follows(let actor) = query.listing, options.cursor == nil,
      try await wiring.accountIfAny()?.isNamed(actor) == true
    else { return options.details }
    return options.details.union(query.listing.detailsOfOwner)
  }

  private func conclude(
    _ query: ListingQuery, _ accounts: AccountListing.AsyncIterator, _ count: Int, _ cost: CostReport,
    _ failure: (any Error)?
  ) async throws {
    let coverage = accounts.coverage
    let cursor = accounts.cursor?.description
    if (failure as? CommandFault)?.status == .readerGone { throw failure ?? CancellationError() }
    if case .follows = query.listing, options.cursor != nil, accounts.isAtEnd, !common.quiet {
      StandardError.say(.listingContinued)
    }
    // A partial listing says nothing about the whole.
    if accounts.isAtEnd || coverage.fault != nil
      || coverage.undecided + coverage.unseen + coverage.deleted > 0
    {
      let name = (try? await wiring.accountIfAny())?.name(in: query.listing)
      common.tell(coverage, of: query.listing, named: name, areGiven: query.candidates != nil)
    }
    if !common.quiet, failure == nil || count > 0 {
      StandardError.say(
        .listingSummary(
          count, coverage, isAtEnd: accounts.isAtEnd, cursor: cursor, cost.cost, elapsed: cost.elapsed,
          isWhole: !(failure is CancellationError)))
    }
    if common.verbose { cost.say() }
    if let failure { throw failure }
    // Undecided accounts may be missing from the listing.
    if coverage.undecided + coverage.unreadable > 0, let fault = coverage.fault {
      // The coverage names it already.
      let ending = CommandFault(fault) ?? CommandFault(.unavailable, Message(other: fault))
      throw common.quiet ? ending : CommandFault(ending.status)
    }
  }

  private func explain(_ query: ListingQuery) async throws {
    let needs = (query.predicate?.needs ?? AccountPredicate.Needs()).with(try await details(of: query))
    let client = try await wiring.owner(of: query.listing)?.appview ?? wiring.appview
    let count = try await NetworkCounts(client: client).entries(of: [query.listing])[0]
    var plan = CostPlan(concurrency: wiring.concurrency)
    plan.addListing(query.listing, entries: count, needs: needs, hasIndex: wiring.index != nil)
    plan.targets = count
    try common.print(plan, concurrency: wiring.concurrency, environment: wiring.environment)
  }
}

extension [AccountView] {
  /// Sorts by a key, stably; accounts without the key come last.
  fileprivate func sorted(by key: ListingOptions.Key) -> [AccountView] {
    func order<Value>(_ value: (AccountView) -> Value?, _ isBefore: (Value, Value) -> Bool) -> [AccountView] {
      map { ($0, value($0)) }.sorted { one, other in
        guard let left = one.1 else { return false }
        return other.1.map { isBefore(left, $0) } ?? true
      }.map(\.0)
    }
    return switch key {
    case .handle: order({ $0.handle?.description }, <)
    case .name: order({ $0.displayName.map { $0.lowercased() } }, <)
    case .followers: order({ $0.counts?.followers }, >)
    case .followedAt: order({ $0.since?.instant }, >)
    }
  }
}
