// SPDX-License-Identifier: Apache-2.0

package import ATProtoClient
package import ATProtoCore
internal import ATProtoLexicons
package import Relationships

/// Loads the facts needed to plan changes, with few calls.
///
/// Own edges are read from the account's own repository with `listRecords`: an AppView lags behind (Q21),
/// keeps ghosts (Q20) and hides all but one of several records (Q16). That takes one call for every 100
/// records of a collection. If only follows are needed, asking an AppView may be cheaper, because it knows
/// old follows.
package struct FactLoader: Sendable {
  /// Up to this many accounts to follow, an AppView is asked about old follows regardless of how many there
  /// are: it is one call, which the notes need anyway.
  package static let fewFollows = 30

  /// The most follows that are verified by reading their records; with more, the collection is listed.
  static let mostProofs = 10

  /// The most concurrent calls about pairs.
  private static let lanes = 8

  private let account: DID
  private let pds: XRPCClient
  private let appview: XRPCClient
  private let relationships: any RelationshipSource

  /// Creates a loader for an account.
  ///
  /// - Parameters:
  ///   - pds: a client for the account's PDS.
  ///   - appview: a client for the account's AppView, proxied through its PDS; only then it returns mutes.
  ///   - relationships: a source for relationships of two accounts; nil for the AppView.
  ///   - identities: finds out whether an account is registered that the AppView does not know; nil for one
  ///     that uses the directory of the public network.
  package init(
    account: DID, pds: XRPCClient, appview: XRPCClient, relationships: (any RelationshipSource)? = nil,
    identities: IdentityDirectory? = nil
  ) {
    self.account = account
    self.pds = pds
    self.appview = appview
    self.relationships = relationships ?? AppViewRelationshipSource(client: appview, identities: identities)
  }

  /// Loads what the changes need.
  ///
  /// Facts that an AppView fails to return are left out: they only affect notes, and calls that are safe to
  /// repeat.
  /// - Parameters:
  ///   - own: collections of the account's own repository that are known already and not read again.
  ///   - accounts: accounts that may not exist, because no handle was resolved to them.
  ///   - progress: called from time to time with the number of records read.
  /// - Throws: ``RepositoryError`` if the own records cannot be read; `CancellationError`.
  package func knowledge(
    for changes: some Collection<ChangeIntent> & Sendable, knowing own: PlanningFacts = PlanningFacts(),
    verifying accounts: Set<DID> = [], progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> PlanningFacts {
    let wanted = FactRequirements(changes)
    var tally = RecordTally(progress)
    var known = PlanningFacts()
    (known.follows, known.blocks, known.listBlocks) = (own.follows, own.blocks, own.listBlocks)
    known.relationshipsNotLearned = try await learnRelationships(with: wanted.relationships, &known)
    if wanted.parts.contains(.follows), known.follows == nil {
      known.follows = try await follows(wanted, &known, &tally)
    }
    if wanted.parts.contains(.blocks), known.blocks == nil {
      known.blocks = try await edges(about: wanted.accounts, &known, &tally)
    }
    if wanted.parts.contains(.listBlocks), known.listBlocks == nil {
      known.listBlocks = try await edges(about: wanted.keptLists, &known, &tally)
    }
    if wanted.parts.contains(.lists) { try await learnLists(wanted, &known, &tally) }
    try await learnExistence(of: accounts, &known)
    try await learnMutes(of: wanted.mutes, &known)
    try await learnListMutes(of: wanted.listMutes, &known)
    let unclear = wanted.unclear(in: known)
    try await learnRelationships(with: unclear, &known)
    return known
  }

  /// Lists whole collections of the account's own repository, for callers that plan many changes one by one.
  ///
  /// - Parameter progress: called from time to time with the number of records read.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  package func collections(
    _ parts: SubjectFacts.Parts, progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> PlanningFacts {
    var known = PlanningFacts()
    var tally = RecordTally(progress)
    if parts.contains(.follows) { known.follows = try await edges(about: nil, &known, &tally) }
    if parts.contains(.blocks) { known.blocks = try await edges(about: nil, &known, &tally) }
    if parts.contains(.listBlocks) { known.listBlocks = try await edges(about: nil, &known, &tally) }
    return known
  }

  private func edges<Record: EdgeRecord>(
    about subjects: Set<Record.Subject>?, _ known: inout PlanningFacts, _ tally: inout RecordTally
  ) async throws -> OwnEdges<Record> {
    let edges = try await OwnEdges<Record>(of: account, client: pds, about: subjects) { tally.add() }
    known.listedCollections.insert(Record.nsid)
    return edges
  }

  // MARK: Own follows

  private func follows(
    _ wanted: FactRequirements, _ known: inout PlanningFacts, _ tally: inout RecordTally
  ) async throws -> OwnEdges<App.Bsky.Graph.Follow> {
    var edges = OwnEdges<App.Bsky.Graph.Follow>()
    var rows = RecordReader(of: account, client: pds).records(App.Bsky.Graph.Follow.self)
      .makeAsyncIterator()
    var keys: [String] = []
    while let row = try await rows.next() {
      edges.insert(row, ifAbout: wanted.accounts)
      tally.add()
      guard wanted.onlyFollows, keys.count < RecordReader.pageSize else { continue }
      keys.append(row.rkey?.description ?? "")
      // The newest page contains what an AppView may not have seen yet; the AppView knows the rest. A server
      // that lists the oldest records first is read to the end.
      if keys.count == RecordReader.pageSize, zip(keys, keys.dropFirst()).allSatisfy({ $0 > $1 }),
        try await prove(wanted, &known, &edges)
      {
        return edges
      }
    }
    known.listedCollections.insert(.follow)
    return edges
  }

  /// Finds follows through the AppView and verifies each of them in the repository.
  ///
  /// - Returns: false if the AppView does not cover every account, or returns too many follows; also if a
  ///   record that it names is missing or has another subject, because an older record of the same account
  ///   may exist (Q16).
  private func prove(
    _ wanted: FactRequirements, _ known: inout PlanningFacts,
    _ edges: inout OwnEdges<App.Bsky.Graph.Follow>
  ) async throws -> Bool {
    guard let mostProofs = try await mostProofs(wanted) else { return false }
    let open = wanted.accounts.filter { edges[$0].isEmpty && $0 != account }
    if !wanted.isFew { try await learnRelationships(with: open, &known) }
    var shown: [(subject: DID, rkey: RecordKey)] = []
    for subject in open {
      guard let info = known.relationships[subject] else { return false }
      guard let following = info.following else { continue }
      guard following.collection == .follow, let rkey = following.recordKey else { return false }
      shown.append((subject, rkey))
    }
    guard shown.count <= mostProofs else { return false }
    let repository = RecordReader(of: account, client: pds)
    let values = try await shown.concurrentMap(atMost: Self.lanes) {
      try await repository.record($0.rkey, in: .follow)
    }
    for (shown, value) in zip(shown, values) {
      guard let record = try? value?.decode(App.Bsky.Graph.Follow.self), record.subject == shown.subject
      else { return false }
      edges.insert(.record(shown.rkey, record))
    }
    return true
  }

  /// Returns how many follows may be verified by their records; nil if listing all is cheaper.
  private func mostProofs(_ wanted: FactRequirements) async throws -> Int? {
    if wanted.isFew { return Self.mostProofs }
    // This only decides which way is cheaper: if it is not answered at once, the repository is listed.
    var client = appview
    client.configuration.retry = .never
    do {
      let counts = try await NetworkCounts(client: client).entries(of: [.follows(of: .did(account))])
      return counts[0].flatMap { Self.mostProofs(follows: $0, asking: wanted.accounts.count) }
    } catch is RelationshipError {
      return nil
    }
  }

  /// Returns how many records may be read to verify follows, so that the total with the calls about the
  /// accounts does not exceed the cost of listing all; nil if that leaves too few.
  static func mostProofs(follows: Int, asking accounts: Int) -> Int? {
    let size = RecordReader.pageSize
    let pages = CostPlan.batches(max(0, follows - size), of: size) + 1
    let most = pages - CostPlan.batches(accounts, of: AppViewRelationshipSource.targetsPerCall)
    return most >= mostProofs ? most : nil
  }

  // MARK: Own lists

  private func learnLists(
    _ wanted: FactRequirements, _ known: inout PlanningFacts, _ tally: inout RecordTally
  ) async throws {
    let lists = try await OwnLists(of: account, client: pds)
    known.lists = lists
    known.listedCollections.insert(.list)
    for (uri, draft) in wanted.drafts where lists.named(draft.name).isEmpty {
      known.expectedLists.insert(OwnList(uri: uri, expected: draft))
    }
    if wanted.parts.contains(.listItems) {
      known.listItems = try await OwnListItems(
        of: account, client: pds, on: wanted.ownLists, about: wanted.members
      ) { tally.add() }
      known.listedCollections.insert(.listitem)
    }
    let guests = wanted.guests { (known.lists?[$0] ?? known.expectedLists[$0])?.purpose == .moderate }
    try await learnRelationships(with: guests, &known)
  }

  // MARK: AppView

  /// - Returns: the accounts that a failure left unknown.
  @discardableResult
  private func learnRelationships(
    with accounts: Set<DID>, _ known: inout PlanningFacts
  ) async throws -> Set<DID> {
    let others = accounts.subtracting(known.relationships.keys).subtracting([account]).sorted {
      "\($0)" < "\($1)"
    }
    var missing = Set(others)
    for outcome in await findings(about: others) {
      switch outcome {
      case .failure(let error): known.faults.append(try Self.fault(error))
      case .success(let findings):
        for (other, finding) in findings {
          switch finding {
          case .known(let info): known.relationships[other] = info
          case .failed(let error): known.faults.append(error)
          case .notFound: missing.remove(other)
          }
        }
      }
    }
    return missing.subtracting(known.relationships.keys)
  }

  /// Finds out which accounts do not exist. Accounts without an answer are left out.
  private func learnExistence(of accounts: Set<DID>, _ known: inout PlanningFacts) async throws {
    let batches = accounts.sorted { "\($0)" < "\($1)" }.parts(of: relationships.existenceBatchSize)
    do {
      let findings = try await batches.concurrentMap(atMost: Self.lanes) { batch in
        try await relationships.existing(among: batch)
      }
      for (batch, finding) in zip(batches, findings) {
        known.nonexistent.formUnion(
          batch.filter { !finding.existing.contains($0) && finding.faults[$0] == nil })
        known.faults += finding.faults.values.prefix(1)
      }
    } catch {
      known.faults.append(try Self.fault(error))
    }
  }

  /// Asks about any number of accounts, with several concurrent batches; after a failure, no more batches are
  /// started.
  private func findings(about others: [DID]) async -> [Result<[DID: RelationshipFinding], any Error>] {
    typealias Outcome = Result<[DID: RelationshipFinding], any Error>
    var batches = others.parts(of: relationships.batchSize)[...]
    return await withTaskGroup(of: Outcome.self) { group in
      func askNext() {
        guard let batch = batches.popFirst() else { return }
        group.addTask { [relationships, account] in
          do {
            let findings = try await relationships.relationships(of: account, with: batch)
            return .success(Dictionary(zip(batch, findings)) { first, _ in first })
          } catch {
            return .failure(error)
          }
        }
      }
      for _ in 0..<Self.lanes { askNext() }
      var outcomes: [Outcome] = []
      while let outcome = await group.next() {
        outcomes.append(outcome)
        if case .success = outcome { askNext() } else { batches = [] }
      }
      return outcomes
    }
  }

  private func learnMutes(of accounts: Set<DID>, _ known: inout PlanningFacts) async throws {
    typealias Method = App.Bsky.Actor.GetProfiles
    let accounts = accounts.sorted { "\($0)" < "\($1)" }
    for batch in accounts.parts(of: HandleResolver.batchSize) {
      do {
        let answer = try await appview.query(
          Method.self, Method.Parameters(actors: batch.map(ATIdentifier.did)), reading: MutingProfiles.self)
        for profile in answer.profiles { known.mutes[profile.did] = profile.viewer.flatMap(MuteState.init) }
      } catch {
        known.faults.append(try Self.fault(error))
        return
      }
    }
    try await learnHiddenMutes(&known)
  }

  /// A muted list hides in a profile whether there is also a direct mute; the list of mutes shows it (Q9).
  private func learnHiddenMutes(_ known: inout PlanningFacts) async throws {
    let hidden = known.mutes.filter { $0.value.direct == .hidden && $0.value.list != nil }
    guard !hidden.isEmpty else { return }
    do {
      for try await view in Listings(appview).accounts(.mutes(of: .did(account))) {
        guard let state = hidden[view.account] else { continue }
        known.mutes[view.account] = MuteState(direct: .scope(.everything), list: state.list)
      }
    } catch {
      known.faults.append(try Self.fault(error))
    }
  }

  private func learnListMutes(of lists: Set<ATURI>, _ known: inout PlanningFacts) async throws {
    typealias Method = App.Bsky.Graph.GetList
    for list in lists.sorted(by: { "\($0)" < "\($1)" }) {
      // An AppView cannot know a list that does not exist yet.
      if known.expectedLists[list] != nil {
        known.listMutes[list] = false
        continue
      }
      do {
        let answer = try await appview.query(
          Method.self, Method.Parameters(list: list, limit: 1), reading: MutingList.self)
        known.listMutes[list] = answer.list.viewer?.muted
      } catch {
        known.faults.append(try Self.fault(error))
      }
    }
  }

  private static func fault(_ error: any Error) throws -> RelationshipError {
    guard let fault = RelationshipError.wrapping(error) else { throw error }
    return fault
  }
}

/// The part of `app.bsky.actor.getProfiles` that is about mutes.
private struct MutingProfiles: Decodable {
  struct Profile: Decodable {
    let did: DID
    let viewer: MutingViewer?
  }

  let profiles: [Profile]
}

/// The part of `app.bsky.graph.getList` that is about the list's mute.
private struct MutingList: Decodable {
  struct List: Decodable { let viewer: Viewer? }
  struct Viewer: Decodable { let muted: Bool? }

  let list: List
}
