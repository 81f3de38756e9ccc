// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// The accounts of a change, as a person chooses them: by name, by listings and searches, without some, by a predicate.
public struct AccountChoice: Sendable {
  /// What is named: arguments, files, rows.
  public var names: TargetStream
  /// Where further accounts come from.
  public var sources: [Source]
  /// The names of accounts to leave out.
  public var exclusions: [TargetStream] = []
  /// Whether accounts that are followed are left out; the predicate has to say so, too.
  public var excludesFollowed = false
  /// The filter; nil for all.
  public var predicate: AccountPredicate?
  /// Whether the user has set a filter of their own.
  public var isFiltered = false
  /// Whether names that are not valid are left out, instead of failing.
  public var skipsInvalid = false

  /// Where accounts come from that are not named one by one.
  public enum Source: Sendable, Hashable {
    /// The accounts that an account follows, in each graph of the change.
    case follows(of: ATIdentifier)
    /// The followers of an account, in each graph of the change.
    case followers(of: ATIdentifier)
    /// A listing of the signed-in account.
    case own(OwnListing)
    /// What the signed-in account follows in this graph, whatever graph the change is about.
    case following(in: FollowGraph)
    /// The members of a list: by AT-URI, address or, for an own one, name.
    case list(String)
    /// The members of a starter pack: by AT-URI, address or `OWNER/NAME`.
    case pack(String)
    /// The followers of an account that the signed-in one follows.
    case knownFollowers(of: ATIdentifier)
    /// Those who have reacted to a post.
    case reactions(PostReaction, to: String)
    /// The first accounts that are found.
    case found(FindPeople.Source, first: Int)
  }

  /// A listing of the signed-in account.
  public enum OwnListing: Sendable, Hashable {
    case followers, following, mutuals, notFollowingBack, notFollowedBack, blocks, mutes
  }

  public init(_ names: TargetStream, and sources: [Source] = []) {
    (self.names, self.sources) = (names, sources)
  }

  /// Who chooses the accounts.
  public var choice: TargetChoice { sources.isEmpty ? .named : .found }

  /// How many accounts there are, if each is given as an argument; nil if others may come.
  var namedCount: Int? {
    let areArguments = names.origins.allSatisfy { if case .argument = $0 { true } else { $0.isQuestion } }
    return sources.isEmpty && areArguments ? names.origins.count : nil
  }
}

extension TargetStream.Origin {
  fileprivate var isQuestion: Bool { if case .question = self { true } else { false } }
}

// MARK: Finding them

extension AccountChoice {
  /// Finds the accounts; what a listing of follows has is meant only in the graph of the listing. Says what is left out,
  /// and whether nothing is left.
  ///
  /// - Throws: ``OperationError`` `invalidNames`, `graphNeedsIndex`, `predicateUndecided`; errors of resolution and of the
  ///   servers; why not all people were found.
  func accounts(
    in graphs: [FollowGraph] = [.bluesky], _ preparation: ChangePreparation
  ) async throws -> SelectedAccounts {
    let (workspace, account) = (preparation.workspace, preparation.account)
    let listings = try await listingsOfNoGraph(workspace)
    var ofGraphs: [(graph: FollowGraph, listings: [ListingQuery])] = []
    for graph in graphs {
      let listings = try await self.listings(in: graph, workspace)
      if !listings.isEmpty { ofGraphs.append((graph, listings)) }
    }
    let people = TargetStream(origins: try await found(in: workspace, preparation.note))
    var selection = AccountSelection(
      [.names(names), .names(people)] + listings.map { workspace.source(of: $0, as: account) },
      excluding: exclusions, where: predicate)
    // The only graph has all accounts; with several, each has those of its own listings besides.
    let ofEach = graphs.count > 1 ? ofGraphs : []
    if ofEach.isEmpty {
      selection.sources += ofGraphs.flatMap(\.listings).map(AccountSelection.Source.listing)
    } else {
      // A stream can be read once only.
      selection.exclusions = []
      for names in exclusions { selection.exclusions.append(try await names.kept()) }
    }
    func accounts() async throws -> SelectedAccounts {
      try await workspace.accounts(
        of: selection, as: account, skippingInvalid: skipsInvalid, preparation.note)
    }
    var selected = try await accounts()
    for (graph, listings) in ofEach {
      selection.sources = listings.map(AccountSelection.Source.listing)
      selected.add(try await accounts(), in: graph)
    }
    report(selected, hasListings: !listings.isEmpty || !ofGraphs.isEmpty, preparation)
    return selected
  }

  /// Says how many were left out, and whether nothing is left.
  private func report(_ found: SelectedAccounts, hasListings: Bool, _ preparation: ChangePreparation) {
    // What a filter leaves out is not excluded.
    let excluded = found.excluded + (isFiltered ? 0 : found.unmatched)
    if !exclusions.isEmpty || excludesFollowed, excluded > 0 {
      preparation.note(.accountsExcluded(excluded, first: found.leftOut))
    }
    guard found.members.isEmpty else { return }
    let hadAny = found.countBefore > 0 || (hasListings && predicate != nil)
    preparation.note(hadAny ? .noneMatch : .noInput("accounts"))
  }

  /// All listings, those of follows in Bluesky's graph: for questions.
  ///
  /// - Throws: as ``accounts(in:_:)``; `SessionError` for a listing of the signed-in account if there is none.
  package func listings(in workspace: Workspace) async throws -> [ListingQuery] {
    try await listings(in: .bluesky, workspace) + listingsOfNoGraph(workspace)
  }

  /// The listings of follows, in a graph.
  private func listings(in graph: FollowGraph, _ workspace: Workspace) async throws -> [ListingQuery] {
    var listings: [ListingQuery] = []
    for source in sources {
      switch source {
      case .follows(let actor): listings.append(.follows(of: actor, in: graph))
      case .followers(let actor): listings.append(.followers(of: actor, in: graph))
      case .own(let own) where own.isOfGraph:
        listings.append(own.query(of: .did(try await workspace.account().did), in: graph))
      case .own, .following, .list, .pack, .knownFollowers, .reactions, .found: break
      }
    }
    try workspace.checkIndex(for: listings)
    return listings
  }

  /// The listings that are the same whatever graph a change is about.
  private func listingsOfNoGraph(_ workspace: Workspace) async throws -> [ListingQuery] {
    var listings: [ListingQuery] = []
    for source in sources {
      switch source {
      case .own(let own) where !own.isOfGraph:
        listings.append(own.query(of: .did(try await workspace.account().did), in: .bluesky))
      case .following(let graph):
        listings.append(.follows(of: .did(try await workspace.account().did), in: graph))
      case .knownFollowers(let actor):
        listings.append(.knownFollowers(of: actor, to: .did(try await workspace.account().did)))
      case .list(let name):
        let list = try await workspace.list(named: name, of: try await workspace.accountIfAny())
        listings.append(ListingQuery(.members(of: list)))
      case .pack(let name):
        listings.append(ListingQuery(.members(of: try await workspace.starterPack(named: name).list)))
      case .reactions(let reaction, let post):
        listings.append(ListingQuery(.reactions(reaction, to: try await workspace.post(named: post))))
      case .own, .follows, .followers, .found: break
      }
    }
    return listings
  }

  /// What has to be found.
  package var findings: [FindPeople] {
    sources.compactMap { source in
      if case .found(let people, let most) = source { FindPeople(people, limit: most) } else { nil }
    }
  }

  /// The people that are found, each under its handle. Says what was left out.
  ///
  /// - Throws: why not all of them were found.
  package func found(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for finding in findings {
      let found = PosixMutex<[TargetStream.Origin]>([])
      let reporter = Reporter<PersonRow> { rows in
        found.withLock {
          $0 += rows.map {
            .question(RelationshipQuestion(input: $0.view.name, target: .did($0.view.account)))
          }
        }
      } note: {
        note($0)
      }
      let outcome = try await finding.run(in: workspace, reporter)
      note(.preparing(.peopleFound(outcome)))
      if let interruption = outcome.rows.interruption { throw interruption }
      origins += found.withLock(\.self)
    }
    return origins
  }
}

extension AccountChoice.OwnListing {
  /// Whether each graph of follows has a listing of its own.
  fileprivate var isOfGraph: Bool { self != .blocks && self != .mutes }

  /// The listing of an account.
  fileprivate func query(of actor: ATIdentifier, in graph: FollowGraph) -> ListingQuery {
    switch self {
    case .followers: .followers(of: actor, in: graph)
    case .following: .follows(of: actor, in: graph)
    case .mutuals: .mutuals(of: actor, in: graph)
    case .notFollowingBack: .notFollowingBack(actor, in: graph)
    case .notFollowedBack: .notFollowedBack(by: actor, in: graph)
    case .blocks: ListingQuery(.blocks(of: actor))
    case .mutes: ListingQuery(.mutes(of: actor))
    }
  }
}

// MARK: What they cost

extension AccountChoice {
  /// Adds a change of each account in each graph to an estimate, and what finding them costs: the same sources as
  /// ``accounts(in:_:)`` reads.
  ///
  /// - Throws: ``OperationError`` `membersUnknown`; as ``accounts(in:_:)``.
  func add(
    to estimate: inout ChangeEstimate, in graphs: [FollowGraph] = [.bluesky],
    _ change: (DID, FollowGraph) -> ChangeIntent
  ) async throws {
    guard let main = graphs.first else { return }
    let ofMain = { change($0, main) }
    if !names.origins.isEmpty {
      let count = try await estimate.add(names, skippingInvalid: skipsInvalid, ofMain)
      if count == 0 { estimate.note(.preparing(.noInput("accounts"))) }
    }
    for names in exclusions { try await estimate.addNames(of: names) }
    let own = ATIdentifier.did(estimate.account.did)
    for source in sources {
      switch source {
      case .list(let name): try await estimate.addMembers(ofListNamed: name, ofMain)
      case .pack(let name):
        try await estimate.addNaming(of: name)
        try await estimate.addMembers(
          listedBy: try await estimate.workspace.starterPack(named: name).list, areNamed: true, ofMain)
      case .reactions(let reaction, let post):
        estimate.addName(try RecordInput(post: post).owner)
        try await estimate.add(
          ListingQuery(.reactions(reaction, to: try await estimate.workspace.post(named: post))), ofMain)
      case .following(let graph): try await estimate.add(.follows(of: own, in: graph), ofMain)
      case .knownFollowers(let actor): try await estimate.add(.knownFollowers(of: actor, to: own), ofMain)
      case .own(let listing) where !listing.isOfGraph:
        try await estimate.add(listing.query(of: own, in: .bluesky), ofMain)
      case .follows, .followers, .own, .found: break
      }
    }
    for finding in findings { try await estimate.add(finding, ofMain) }
    let chosen = estimate
    for graph in graphs.dropFirst() {
      estimate.addChanges(of: chosen) { intent in intent.account.map { change($0, graph) } ?? intent }
    }
    for graph in graphs {
      for listing in try await listings(in: graph, estimate.workspace) {
        try await estimate.add(listing) { change($0, graph) }
      }
    }
    if let predicate { estimate.add(predicate) }
  }
}
