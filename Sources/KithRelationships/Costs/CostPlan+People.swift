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

  /// Adds the cost of the answers with this many people, if none of them is left out.
  package mutating func addPeople(_ answer: PeopleAnswer, rows: Int) {
    let isOnePage = answer == .similar
    add(
      "\(answer.method)", calls: isOnePage ? 1 : Self.batches(rows, of: Listings.pageSize),
      payload: rows * Self.bytesPerProfile, inTurn: true, assuming: isOnePage ? [] : .facts)
  }

  /// Adds the cost of what rows say about this many people.
  ///
  /// - Parameters:
  ///   - readsProfiles: whether their profiles are read.
  ///   - checked: how many of them are asked whether they want to be recommended.
  package mutating func addPeopleRows(
    _ rows: Int, readingProfiles readsProfiles: Bool, checkingOptOutsOf checked: Int
  ) {
    let profiles = readsProfiles ? rows : 0
    add(
      Self.profiles, calls: Self.batches(profiles, of: AccountViews.batchSize),
      payload: profiles * Self.bytesPerProfile, assuming: .facts)
    add(CallMeter.documents, calls: checked, payload: 1_000 * checked, assuming: .facts)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)",
      of: App.Bsky.Actor.ContentVisibilityDeclaration.nsid, calls: checked, assuming: .facts)
  }

  /// Adds the cost of looking for contacts.
  ///
  /// - Parameters:
  ///   - bridged: how many may have a bridged handle.
  ///   - named: how many have a display name, by which they are looked for as well.
  ///   - candidates: the most accounts of a search.
  package mutating func addContacts(_ count: Int, bridged: Int, named: Int, candidates: Int) {
    addHandles(bridged)
    let searches = count + named
    add(
      "\(PeopleAnswer.search.method)", calls: searches,
      payload: searches * candidates * Self.bytesPerProfile, assuming: .facts)
    add(
      Self.profiles, calls: Self.batches(searches * candidates, of: AccountViews.batchSize),
      payload: searches * candidates * Self.bytesPerProfile, assuming: .facts)
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
