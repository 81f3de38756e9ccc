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

  func request(_ wiring: Wiring) async throws -> ListingRequest {
    if !namesSome, wiring.index == nil { throw CommandFault(.usage, .blockersNeedIndex(actors[0])) }
    let actor = try await wiring.actor(named: actors[0])
    if !namesSome { return ListingRequest(listing: .blockers(of: actor)) }
    let named = try input.origins(
      with: try await wiring.origins(naming: actors.dropFirst()))
    let listings = try await sources.requests(wiring)
    if options.cost.explain { return try await explained(actor, named, listings, wiring) }
    var origins = named
    for request in listings { origins.append(.listing(try await wiring.accounts(of: request))) }
    let roll = try await common.roll(of: origins, skippingInvalid: input.skipInvalid)
    return ListingRequest(listing: .follows(of: actor), among: try await wiring.accounts(named: roll))
  }

  /// The cost for the named accounts and the counts of listings.
  private func explained(
    _ actor: ATIdentifier, _ named: [TargetStream.Origin], _ listings: [ListingRequest], _ wiring: Wiring
  ) async throws -> ListingRequest {
    var plan = CostPlan(concurrency: wiring.concurrency)
    let names =
      named.isEmpty ? [] : try await common.roll(of: named, skippingInvalid: input.skipInvalid).questions
    var handles = names.count { if case .handle = $0.target { true } else { false } }
    if case .handle = actor { handles += 1 }
    plan.addHandles(handles)
    let counts = try await NetworkCounts(client: wiring.appview).entries(of: listings.map(\.listing))
    for (request, count) in zip(listings, counts) {
      plan.addListing(
        request.listing, entries: count, needs: request.predicate?.needs ?? AccountPredicate.Needs())
    }
    let asked = counts.reduce(Optional(names.count)) { sum, count in
      sum.flatMap { sum in count.map { sum + $0 } }
    }
    let now = Datetime(microsecondsSinceEpoch: wiring.time.microsecondsSinceEpoch)
    let predicate = try options.predicate(
      narrowing: AccountPredicate(.blockedBy), now: now,
      segments: try await wiring.segments(namedIn: options.predicate))
    let needs = (predicate?.needs ?? AccountPredicate.Needs()).with(options.details.union(.names))
    plan.addQuestions(about: asked, needs: needs)
    plan.targets = asked
    return ListingRequest(listing: .follows(of: actor), plan: plan)
  }
}

extension Wiring {
  /// The distinct accounts of a roll, in its order.
  ///
  /// - Throws: ``CommandFault`` if a handle does not resolve or its lookup fails, because "no" would be
  ///   unfounded.
  fileprivate func accounts(named roll: ChangeTargets) async throws -> [DID] {
    let handles = roll.questions.compactMap { question -> Handle? in
      if case .handle(let handle) = question.target { handle } else { nil }
    }
    let found = handles.isEmpty ? [:] : try await identities.dids(of: handles)
    var accounts: [DID] = []
    var seen: Set<DID> = []
    for question in roll.questions {
      let account: DID
      switch question.target {
      case .did(let did): account = did
      case .handle(let handle):
        guard let outcome = found[handle] else {
          throw CommandFault(.unavailable, .unresolvedHandle(handle))
        }
        account = try outcome.get()
      case .unreadable(let error): throw error
      }
      if seen.insert(account).inserted { accounts.append(account) }
    }
    return accounts
  }
}
