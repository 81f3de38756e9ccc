// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons
package import KithRelationships

/// Loads the facts needed to plan changes, with few calls.
///
/// Own records come from the account's own repository, and are whole: an AppView lags behind (Q21), keeps ghosts
/// (Q20) and hides all but one of several records (Q16). What an AppView and a directory are asked meanwhile is for
/// notes, and for accounts that do not exist.
package struct FactLoader: Sendable {
  /// The most concurrent calls of a kind.
  private static let lanes = 8

  private let account: DID
  private let pds: XRPCClient
  private let appview: XRPCClient
  private let relationships: any RelationshipSource
  /// The own records.
  package let records: OwnRecords

  /// Creates a loader for an account.
  ///
  /// - Parameters:
  ///   - pds: a client for the account's PDS.
  ///   - appview: a client for the account's AppView, proxied through its PDS; only then it returns mutes.
  ///   - relationships: a source for relationships of two accounts; nil for the AppView.
  ///   - identities: finds out whether an account is registered that the AppView does not know; nil for one
  ///     that uses the directory of the public network.
  ///   - records: the own records; nil to keep them in memory. Share them with what commits to the repository.
  package init(
    account: DID, pds: XRPCClient, appview: XRPCClient, relationships: (any RelationshipSource)? = nil,
    identities: IdentityDirectory? = nil, records: OwnRecords? = nil
  ) {
    self.account = account
    self.pds = pds
    self.appview = appview
    self.relationships = relationships ?? AppViewRelationshipSource(client: appview, identities: identities)
    self.records = records ?? OwnRecords(of: account, client: pds)
  }

  /// Loads what the changes need. What is independent of each other is asked at the same time.
  ///
  /// Facts that an AppView fails to return are left out: they only affect notes, and calls that are safe to
  /// repeat.
  /// - Parameters:
  ///   - accounts: accounts that may not exist, because no handle was resolved to them.
  ///   - names: further own records to look up.
  ///   - progress: called from time to time with the number of records read.
  /// - Throws: ``RepositoryError`` if the own records cannot be read; `CancellationError`.
  package func knowledge(
    for changes: some Collection<ChangeIntent> & Sendable, verifying accounts: Set<DID> = [],
    naming names: Set<RecordName> = [], progress: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws -> PlanningFacts {
    let wanted = FactRequirements(changes)
    async let pairs = pairs(with: wanted.relationships)
    async let existence = existence(of: accounts)
    async let mutes = mutes(of: wanted.mutes)
    var known = PlanningFacts()
    try await learnRecords(wanted, names, &known, progress)
    known.merge(try await pairs)
    known.relationshipsNotLearned = try await pairs.unknown
    known.merge(try await existence)
    known.merge(try await mutes)
    try await learnListMutes(of: wanted.listMutes, &known)
    let guests = wanted.guests { (known.lists?[$0] ?? known.expectedLists[$0])?.purpose == .moderate }
    let late = guests.union(wanted.unclear(in: known)).subtracting(known.relationships.keys)
    known.merge(try await self.pairs(with: late))
    return known
  }

  // MARK: Own records

  private func learnRecords(
    _ wanted: FactRequirements, _ names: Set<RecordName>, _ known: inout PlanningFacts,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let names = wanted.named.union(names)
    if !names.isEmpty {
      known.add(names, found: try await RecordLookup(of: account, client: pds).records(names))
    }
    let filters = wanted.records
    guard !filters.isEmpty else { return }
    let answer = try await records.records(filters, reading: progress)
    known.commit = answer.commit
    known.listedCollections = Set(filters.keys)
    for case .edges(let kind) in wanted.parts where kind.target != .member {
      known.edges[kind] = answer.edges(kind, about: wanted.subjects(of: kind), of: account)
    }
    for case .records(let collection) in wanted.parts {
      known.records[collection] = answer.collections[collection]?.records.map {
        OwnRecord(rkey: $0.rkey, value: $0.value(in: collection))
      }
    }
    known.lists = answer.collections[.list].map { OwnLists($0, of: account) }
    known.listItems = answer.collections[.listitem].map {
      OwnListItems($0, of: account, on: wanted.ownLists, about: wanted.members)
    }
    for (uri, draft) in wanted.drafts where known.lists?.named(draft.name).isEmpty == true {
      known.expectedLists.insert(OwnList(uri: uri, expected: draft))
    }
  }

  /// The own follow records of some accounts; nil if they were not read.
  func follows(among accounts: Set<DID>) async throws -> OwnEdges? {
    let subjects = Set(accounts.map(\.description))
    return try await records.records([.follow: .some(subjects: subjects)])
      .edges(.follow, about: subjects, of: account)
  }

  // MARK: AppView

  /// The accounts among these that follow the account according to the AppView.
  func followers(among accounts: Set<DID>) async throws -> Set<DID> {
    Set(try await pairs(with: accounts).found.filter { $1.isFollowedBy }.keys)
  }

  /// The relationships with some accounts.
  private func pairs(with accounts: Set<DID>) async throws -> LearnedRelationships {
    let others = accounts.subtracting([account]).sorted { "\($0)" < "\($1)" }
    var known = LearnedRelationships()
    known.unknown = Set(others)
    for outcome in await findings(about: others) {
      switch outcome {
      case .failure(let error): known.faults.append(try Self.fault(error))
      case .success(let findings):
        for (other, finding) in findings {
          switch finding {
          case .known(let info): known.found[other] = info
          case .failed(let error): known.faults.append(error)
          case .notFound: known.unknown.remove(other)
          }
        }
      }
    }
    known.unknown.subtract(known.found.keys)
    return known
  }

  /// Which accounts do not exist. Accounts without an answer are left out.
  private func existence(of accounts: Set<DID>) async throws -> LearnedExistence {
    let batches = accounts.sorted { "\($0)" < "\($1)" }.parts(of: relationships.existenceBatchSize)
    var known = LearnedExistence()
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
    return known
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

  private func mutes(of accounts: Set<DID>) async throws -> LearnedMutes {
    typealias Method = App.Bsky.Actor.GetProfiles
    var known = LearnedMutes()
    for batch in accounts.sorted(by: { "\($0)" < "\($1)" }).parts(of: HandleResolver.batchSize) {
      do {
        let answer = try await appview.query(
          Method.self, Method.Parameters(actors: batch.map(ATIdentifier.did)), reading: MutingProfiles.self)
        for profile in answer.profiles.elements {
          known.found[profile.did] = profile.viewer.flatMap(MuteState.init)
        }
        // What is unknown about the others is said; the account that it concerns is left alone.
        if let first = answer.profiles.faults.first {
          known.faults.append(
            .unreadableElements(Method.nsid, answer.profiles.faults.count, first: first))
        }
      } catch {
        known.faults.append(try Self.fault(error))
        return known
      }
    }
    try await learnHidden(&known)
    return known
  }

  /// A muted list hides in a profile whether there is also a direct mute; the list of mutes shows it (Q9).
  private func learnHidden(_ known: inout LearnedMutes) async throws {
    let hidden = known.found.filter { $0.value.direct == .hidden && $0.value.list != nil }
    guard !hidden.isEmpty else { return }
    do {
      var mutes = Listings(appview).accounts(.mutes(of: .did(account))).makeAsyncIterator()
      while let view = try await mutes.next() {
        guard let state = hidden[view.account] else { continue }
        known.found[view.account] = MuteState(direct: .scope(.everything), list: state.list)
      }
      if let fault = mutes.coverage.fault { throw fault }
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

/// Relationships as an AppView returned them.
private struct LearnedRelationships: Sendable {
  var found: [DID: RelationshipInfo] = [:]
  /// The accounts that a failure left unknown.
  var unknown: Set<DID> = []
  var faults: [RelationshipError] = []
}

/// Which accounts do not exist.
private struct LearnedExistence: Sendable {
  var nonexistent: Set<DID> = []
  var faults: [RelationshipError] = []
}

/// How accounts are muted.
private struct LearnedMutes: Sendable {
  var found: [DID: MuteState] = [:]
  var faults: [RelationshipError] = []
}

extension PlanningFacts {
  fileprivate mutating func merge(_ known: LearnedRelationships) {
    relationships.merge(known.found) { _, new in new }
    faults += known.faults
  }

  fileprivate mutating func merge(_ known: LearnedExistence) {
    nonexistent = known.nonexistent
    faults += known.faults
  }

  fileprivate mutating func merge(_ known: LearnedMutes) {
    mutes = known.found
    faults += known.faults
  }
}

extension OwnRecords.Answer {
  /// The edges of a kind; nil if they were not asked for.
  fileprivate func edges(_ kind: EdgeKind, about subjects: Set<String>?, of account: DID) -> OwnEdges? {
    collections[kind.collection].map { OwnEdges(kind, $0, of: account, about: subjects) }
  }
}

/// The part of `app.bsky.actor.getProfiles` that is about mutes.
private struct MutingProfiles: Decodable {
  struct Profile: Decodable {
    let did: DID
    let viewer: MutingViewer?
  }

  let profiles: ReadableElements<Profile>
}

/// The part of `app.bsky.graph.getList` that is about the list's mute.
private struct MutingList: Decodable {
  struct List: Decodable { let viewer: Viewer? }
  struct Viewer: Decodable { let muted: Bool? }

  let list: List
}
