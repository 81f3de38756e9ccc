// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithRelationships

/// `kith blocked-by`: lists who blocks an account, among given accounts or all that an index knows.
struct BlockedByCommand: ListingCommand {
  static let configuration = CommandConfiguration(
    verb: "blocked-by",
    abstract: "List the accounts that block an account.",
    discussion: """
      No AppView lists all blockers of an account; it only answers for individual accounts. So name the \
      accounts to check: as further arguments, from files, or by listings. Or use --index with a backlink \
      index, which has read the records of the network and lists all blocks that it has seen; they may not \
      be all. Blocks by lists count.

      For checked accounts, only a direct block has a record and a date; with an index, also the record that \
      blocks a list. Dates come from record keys, which the author of the record sets.

        kith blocked-by me --followers-of me --follows-of me
        kith blocked-by alice.test --from names.txt --format csv
        kith blocked-by me --index https://constellation.example

      \(AccountViewRow.help)
      """)

  @Argument(
    help: ArgumentHelp(
      "The account, or me; then accounts to check; - reads them from stdin.", valueName: "account"),
    completion: .actor)
  var actors: [String]

  @OptionGroup(title: "Accounts") var input: InputOptions
  @OptionGroup(title: "Accounts") var sources: AccountSources
  @OptionGroup(title: "Listing") var options: ListingOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  /// Whether accounts to check are named.
  private var namesSome: Bool { actors.count > 1 || !input.files.isEmpty || !sources.isEmpty }

  mutating func validate() throws {
    if options.cursor != nil { throw ValidationError("--cursor is not supported by blocked-by.") }
    try input.validate(with: actors.dropFirst())
  }

  func query(_ wiring: Wiring) async throws -> ListingQuery {
    if !namesSome, wiring.index == nil { throw CommandFault(.usage, .blockersNeedIndex(actors[0])) }
    let actor = try await wiring.actor(named: actors[0])
    if !namesSome || options.cost.explain { return ListingQuery(.blockers(of: actor)) }
    let found = try await wiring.accounts(
      of: AccountSelection([.names(try await named(wiring))] + sources.queries(wiring).map { .listing($0) }),
      skippingInvalid: input.skipInvalid)
    if found.members.isEmpty, !common.quiet { StandardError.say(.noInput("accounts")) }
    var accounts: [DID] = []
    var seen: Set<DID> = []
    for member in found.members {
      // If an account cannot be found, "no" would be unfounded.
      let account = try member.account.get()
      if seen.insert(account).inserted { accounts.append(account) }
    }
    return .blockers(of: actor, among: accounts)
  }

  private func named(_ wiring: Wiring) async throws -> TargetStream {
    TargetStream(
      origins: try input.origins(with: try await wiring.origins(naming: actors.dropFirst())))
  }

  /// The cost for the named accounts and the counts of listings; nil if the index lists the accounts.
  func plan(_ wiring: Wiring) async throws -> CostPlan? {
    if !namesSome { return nil }
    let (named, listings) = (try await named(wiring), try await sources.queries(wiring))
    var plan = CostPlan(concurrency: wiring.concurrency)
    let names = try await SelectedAccounts(named: named)
    try common.report(names, skippingInvalid: input.skipInvalid)
    var handles = names.members.count(where: \.isResolved)
    if case .handle = try await wiring.actor(named: actors[0]) { handles += 1 }
    plan.addHandles(handles)
    let counts = try await NetworkCounts(client: wiring.appview).entries(of: listings.map(\.listing))
    for (query, count) in zip(listings, counts) {
      plan.addListing(
        query.listing, entries: count, needs: query.predicate?.needs ?? AccountPredicate.Needs())
    }
    let asked = counts.reduce(Optional(names.members.count)) { sum, count in
      sum.flatMap { sum in count.map { sum + $0 } }
    }
    let now = Datetime(at: wiring.time.instant)
    let predicate = try options.predicate(
      narrowing: AccountPredicate(.blockedBy), now: now,
      segments: try await wiring.segments(namedIn: options.predicate))
    let needs = (predicate?.needs ?? AccountPredicate.Needs()).with(options.details.union(.names))
    plan.addQuestions(about: asked, needs: needs)
    plan.targets = asked
    return plan
  }
}
