// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

extension CostPlan {
  /// What an AppView answers about people.
  package enum PeopleAnswer: Sendable {
    case search, suggestions
    /// One page, whose length is up to the server.
    case similar

    fileprivate var method: NSID {
      switch self {
      case .search: App.Bsky.Actor.SearchActors.nsid
      case .suggestions: App.Bsky.Actor.GetSuggestions.nsid
      case .similar: App.Bsky.Graph.GetSuggestedFollowsByActor.nsid
      }
    }
  }

  /// Adds the cost of the answers with this many people, if none of them is left out; nil if it is not known how many
  /// a filter leaves out.
  package mutating func addPeople(_ answer: PeopleAnswer, rows: Int?) {
    let isOnePage = answer == .similar
    add(
      "\(answer.method)", calls: isOnePage ? 1 : rows.map { Self.batches($0, of: Listings.pageSize) },
      payload: (rows ?? 0) * Self.bytesPerProfile, inTurn: true, assuming: isOnePage ? [] : .facts)
  }

  /// Adds the cost of what rows say about this many people; nil if it is not known how many a filter leaves out.
  ///
  /// - Parameters:
  ///   - readsProfiles: whether their profiles are read.
  ///   - checked: how many of them are asked whether they want to be recommended.
  package mutating func addPeopleRows(
    _ rows: Int?, readingProfiles readsProfiles: Bool, checkingOptOutsOf checked: Int
  ) {
    if readsProfiles {
      add(
        Self.profiles, calls: rows.map { Self.batches($0, of: AccountViews.batchSize) },
        payload: (rows ?? 0) * Self.bytesPerProfile, assuming: .facts)
    }
    add(CallMeter.documents, calls: checked, payload: 1_000 * checked, assuming: .facts)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)",
      of: App.Bsky.Actor.ContentVisibilityDeclaration.nsid, calls: checked, assuming: .facts)
  }

  /// Adds the cost of looking for contacts.
  ///
  /// - Parameters:
  ///   - size: how many are looked for at once.
  ///   - accounts: how many say which account they are.
  ///   - handles: how many say so by a handle, or may have a bridged handle.
  ///   - searches: how many names are searched for.
  ///   - candidates: the most accounts of a search.
  package mutating func addContacts(
    _ count: Int, inPartsOf size: Int, accounts: Int, handles: Int, searches: Int, candidates: Int
  ) {
    let parts = Self.batches(count, of: size)
    addHandles(handles, calls: min(handles, parts * Self.batches(size, of: HandleResolver.batchSize)))
    let found = accounts + handles + searches * candidates
    add(
      "\(PeopleAnswer.search.method)", calls: searches,
      payload: searches * candidates * Self.bytesPerProfile, assuming: .facts)
    add(
      Self.profiles, calls: found == 0 ? 0 : Self.batches(found, of: AccountViews.batchSize) + parts - 1,
      payload: found * Self.bytesPerProfile, assuming: .facts)
  }

  /// Adds the cost of reading the newest follows of this many accounts.
  package mutating func addNeighbourhood(reach: Int) {
    add(
      Self.profiles, calls: Self.batches(reach, of: AccountViews.batchSize),
      payload: reach * Self.bytesPerProfile)
    add(
      "\(App.Bsky.Graph.GetFollows.nsid)", calls: reach,
      payload: reach * NeighbourhoodReader.follows * Self.bytesPerProfile, assuming: .facts)
  }

  /// Adds the cost of the lists that an account shares with others: no server counts those that it is on.
  package mutating func addSharedLists() {
    add("\(App.Bsky.Graph.GetLists.nsid)", calls: 1)
    add("\(Com.Atproto.Repo.ListRecords.nsid)", of: .starterpack, calls: 1)
    add("\(App.Bsky.Graph.GetList.nsid)", calls: nil)
  }
}
