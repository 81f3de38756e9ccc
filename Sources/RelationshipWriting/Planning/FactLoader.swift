// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons
public import Relationships

/// Learns what has to be known before changes are planned, in as few calls as are right.
///
/// Own edges are read from the own repository, by `listRecords`: an AppView lags behind (Q21), keeps ghosts
/// (Q20) and hides all but one of several records (Q16). That takes a call for every 100 records of a
/// collection. Where nothing but follows is wanted, an AppView may be cheaper to ask: it knows of old follows.
public struct FactLoader: Sendable {
  /// Follows up to which an AppView is asked about old ones, however many there are: one call, which their notes
  /// take anyway.
  public static let fewFollows = 30

  /// Of a few follows, those that are proved by their records; with more of them the collection is listed.
  static let mostProofs = 10

  /// Calls about pairs under way at once.
  private static let lanes = 8

  private let account: DID
  private let pds: XRPCClient
  private let appview: XRPCClient
  private let relationships: any RelationshipSource

  /// Surveys the relationships of an account.
  ///
  /// - Parameters:
  ///   - pds: asks the account's PDS.
  ///   - appview: asks the account's AppView, as the account: through its PDS. Only so it tells of mutes.
  ///   - relationships: tells what stands between two accounts; the AppView when nil.
  public init(
    account: DID, pds: XRPCClient, appview: XRPCClient, relationships: (any RelationshipSource)? = nil
  ) {
    self.account = account
    self.pds = pds
    self.appview = appview
    self.relationships = relationships ?? AppViewRelationshipSource(client: appview)
  }

  /// Learns what the changes need.
  ///
  /// What an AppView does not tell is left out: it decides about words, and about calls that may be made twice.
  /// - Parameters:
  ///   - own: collections of the own repository that are known, and not asked for.
  ///   - accounts: which of the accounts may be nobody's, for no handle led to them.
  ///   - progress: told from time to time how many records were read.
  /// - Throws: ``RepositoryError`` when the own records cannot be learned; `CancellationError`.
  public func knowledge(
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

  /// Lists whole collections of the own repository: for whoever has many changes to make, one by one.
  ///
  /// - Parameter progress: told from time to time how many records were read.
  /// - Throws: ``RepositoryError``, `CancellationError`.
  public func collections(
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
      // The newest page holds what an AppView may not have seen yet; of the rest it knows. A server that gives
      // the oldest first is read to its end.
      if keys.count == RecordReader.pageSize, zip(keys, keys.dropFirst()).allSatisfy({ $0 > $1 }),
        try await prove(wanted, &known, &edges)
      {
        return edges
      }
    }
    known.listedCollections.insert(.follow)
    return edges
  }

  /// Takes the AppView's word for who is not followed, and the repository's for who is.
  ///
  /// - Returns: false when it does not tell of everybody, or of too many; and where a record that it names is not
  ///   there or says something else, for an older one of the same account may be behind it (Q16).
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

  /// How many follows may be proved by their records; nil where it is cheaper to list all.
  private func mostProofs(_ wanted: FactRequirements) async throws -> Int? {
    if wanted.isFew { return Self.mostProofs }
    // It only tells which way is cheaper: where it is not there at once, the repository is listed.
    var client = appview
    client.configuration.retry = .never
    do {
      let counts = try await NetworkCounts(client: client).entries(of: [.follows(of: .did(account))])
      return counts[0].flatMap { Self.mostProofs(follows: $0, asking: wanted.accounts.count) }
    } catch is RelationshipError {
      return nil
    }
  }

  /// How many records may be read to prove who of some accounts is followed, so that this and asking about the
  /// accounts costs no more than to list all; nil where that leaves too few.
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

  // MARK: What the AppView says

  /// - Returns: the accounts of which a fault kept it from hearing.
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

  /// Finds out which of the accounts are nobody's. Of whom nothing is heard, nothing is known.
  private func learnExistence(of accounts: Set<DID>, _ known: inout PlanningFacts) async throws {
    let batches = accounts.sorted { "\($0)" < "\($1)" }.parts(of: relationships.existenceBatchSize)
    do {
      let findings = try await batches.concurrentMap(atMost: Self.lanes) { batch in
        try await relationships.existing(among: batch)
      }
      for (batch, finding) in zip(batches, findings) {
        known.nobody.formUnion(batch.filter { !finding.existing.contains($0) && finding.faults[$0] == nil })
        known.faults += finding.faults.values.prefix(1)
      }
    } catch {
      known.faults.append(try Self.fault(error))
    }
  }

  /// Asks about any number of accounts, some batches side by side; no more of them once one has failed.
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

  /// A muted list hides from a profile whether there is a mute besides; the list of mutes tells it (Q9).
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
      // No AppView knows a list that is still to be made.
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

/// What `app.bsky.actor.getProfiles` says of mutes.
private struct MutingProfiles: Decodable {
  struct Profile: Decodable {
    let did: DID
    let viewer: MutingViewer?
  }

  let profiles: [Profile]
}

/// What `app.bsky.graph.getList` says of the list's mute.
private struct MutingList: Decodable {
  struct List: Decodable { let viewer: Viewer? }
  struct Viewer: Decodable { let muted: Bool? }

  let list: List
}
