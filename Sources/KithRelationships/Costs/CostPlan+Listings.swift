// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons

extension CostPlan {
  /// Adds the cost of listing accounts: those in the AppView's listing, for follows also those only in the
  /// repository, and the facts needed about each account.
  ///
  /// - Parameters:
  ///   - count: see ``addListing(_:entries:)``.
  ///   - needs: the facts that a predicate about the accounts needs.
  ///   - hasIndex: whether an index provides followers that the AppView leaves out.
  package mutating func addListing(
    _ listing: ActorListing, entries count: Int?, needs: AccountPredicate.Needs = AccountPredicate.Needs(),
    hasIndex: Bool = false
  ) {
    let upTo: Assumptions = [.counts, .facts]
    switch listing {
    case .follows:
      add(Self.profiles, calls: 1, payload: Self.bytesPerProfile)
      addListing(listing.method, entries: count)
      addRepository(of: .follow, count: count, assuming: needs.contains(.date) ? .counts : upTo)
    case .followers:
      add(Self.profiles, calls: 1, payload: Self.bytesPerProfile)
      addListing(listing.method, entries: count)
      if hasIndex { addFollowersByIndex(count) }
    case .members, .mutes: addListing(listing.method, entries: count)
    case .reactions(.replies, _):
      add("\(App.Bsky.Feed.GetPosts.nsid)", calls: 1)
      add("\(listing.method)", calls: 1)
    case .reactions:
      add("\(App.Bsky.Feed.GetPosts.nsid)", calls: 1)
      addListing(listing.method, entries: count)
    case .blockers:
      // No server counts lists or the accounts that block them.
      add("\(listing.method)", calls: nil)
      add("\(Blue.Microcosm.Links.GetManyToManyCounts.nsid)", calls: nil)
      add("\(App.Bsky.Graph.GetRelationships.nsid)", calls: nil)
    case .blocks:
      // The AppView names the blocks of the signed-in account.
      addListing(listing.method, entries: count)
      addRepository(of: .block, count: count, assuming: .counts)
    case .graph(let graph):
      // No server counts the follows of other apps.
      if graph.needsIndex { add("\(listing.method)", calls: nil) }
      if graph.side != .followers { addRecords(graph.graph.collection, count: nil) }
      if graph.side == .mutuals || graph.side == .notFollowingBack {
        add(CallMeter.documents, calls: nil)
        addRecords(graph.graph.collection, count: nil)
      }
      addNames(of: nil, assuming: .counts)
    }
    addQuestions(about: count, needs: needs, from: .listing(listing))
  }

  /// Adds the cost of reading an index and of looking up the followers that only it has: at most all of
  /// them.
  private mutating func addFollowersByIndex(_ count: Int?) {
    let upTo: Assumptions = [.counts, .facts]
    add(
      "\(Blue.Microcosm.Links.GetBacklinks.nsid)",
      calls: count.map { Self.batches($0, of: BacklinkIndex.pageSize) + 1 }, payload: (count ?? 0) * 120,
      inTurn: true, assuming: upTo)
    addRelationships(of: count)
    addNames(of: count, assuming: upTo)
  }

  /// Adds the cost of an ``AccountAudit`` without findings. Each account that the AppView leaves out and
  /// each blocked list costs further calls, which no server count predicts.
  ///
  /// - Parameter follows: number of records as an AppView counts them.
  package mutating func addAudit(_ kinds: Set<AuditFinding.Kind>, follows: Int?) {
    func asks(_ wanted: AuditFinding.Kind...) -> Bool { !kinds.isDisjoint(with: wanted) }
    let upTo: Assumptions = [.counts, .facts]
    if asks(.pds, .clock, .status) { add("\(Com.Atproto.Sync.GetRepoStatus.nsid)", calls: 1, payload: 200) }
    if asks(.handle, .pds, .status) {
      add(CallMeter.documents, calls: 1, payload: 1_000, assuming: .facts)
      add(Self.profiles, calls: 1, payload: Self.bytesPerProfile, assuming: .facts)
    }
    let readsFollows = asks(.duplicate, .selfEdge, .malformed)
    if readsFollows || !kinds.isDisjoint(with: AuditFinding.Kind.ofFollows) {
      addRecords(.follow, count: follows)
    }
    if !kinds.isDisjoint(with: AuditFinding.Kind.ofFollows) {
      addListing(App.Bsky.Graph.GetFollows.nsid, entries: follows)
      add("\(App.Bsky.Graph.GetRelationships.nsid)", calls: nil)
      addNames(of: nil, assuming: upTo)
      add(CallMeter.documents, calls: nil)
      add(CallMeter.handleProofs, calls: nil)
      add("\(App.Bsky.Actor.GetProfile.nsid)", calls: nil)
    }
    if kinds.contains(.inactive) { addActivity(of: follows) }
    if readsFollows { addRecords(.block, count: nil) }
    if asks(.duplicate, .malformed, .deadListBlock, .orphanMembers) {
      addRecords(.list, count: nil)
      addRecords(.listblock, count: nil)
      if asks(.duplicate, .malformed, .orphanMembers) { addRecords(.listitem, count: nil) }
    }
    if kinds.contains(.deadListBlock) { add("com.atproto.repo.getRecord", of: .list, calls: nil) }
    if kinds.contains(.subscription) {
      addListing(App.Bsky.Graph.GetListBlocks.nsid, entries: nil)
      addListing(App.Bsky.Graph.GetListMutes.nsid, entries: nil)
    }
    if kinds.contains(.onList) {
      add("\(Blue.Microcosm.Links.GetManyToManyCounts.nsid)", calls: nil)
      add("\(App.Bsky.Graph.GetList.nsid)", calls: nil)
    }
  }

  private mutating func addRepository(of collection: NSID, count: Int?, assuming assumptions: Assumptions) {
    add(CallMeter.documents, calls: 1, payload: 1_000, assuming: assumptions)
    addRecords(collection, count: count, assuming: assumptions)
    addNames(of: count, assuming: assumptions)
  }

  /// Adds the cost of checking pairs in the graphs of other apps: the actor's records, and those of each target.
  ///
  /// - Parameter targets: nil if their number is unknown.
  package mutating func addGraphs(_ graphs: [FollowGraph], targets: Int?) {
    add(CallMeter.documents, calls: targets, payload: 1_000 * (targets ?? 0), assuming: .counts)
    for graph in graphs {
      addRecords(graph.collection, count: nil)
      add(
        "com.atproto.repo.listRecords", of: graph.collection, calls: targets,
        payload: 30_000 * (targets ?? 0),
        assuming: .counts)
    }
  }

  /// Adds what it takes to find out what a block leaves, beside the block: the collections of the repository, and the
  /// newest records in those of follows and friends that are there.
  package mutating func addOtherRecordsOfBlocked() {
    add("\(Com.Atproto.Repo.DescribeRepo.nsid)", calls: 1, payload: 1_000)
    let others = FollowGraph.known.filter { $0 != .bluesky }.map(\.collection)
    for collection in others + [FriendRequest.collection, FriendAnswer.collection] {
      add(
        "\(Com.Atproto.Repo.ListRecords.nsid)", of: collection, calls: 1, payload: 30_000, assuming: .facts)
    }
  }

  /// Adds the cost of finding the accounts of names, one by one: those that are handles.
  package mutating func addHandles(among names: [String]) {
    let handles = names.count { name in
      if case .handle? = (try? ActorInput(parsing: name))?.identifier { true } else { false }
    }
    addHandles(handles, calls: handles)
  }

  /// Adds what it takes to read the policies of accounts.
  package mutating func addFriendRecords(policiesOf targets: Int) {
    add(CallMeter.documents, calls: targets, payload: 1_000 * targets, assuming: .facts)
    add(
      "\(Com.Atproto.Repo.GetRecord.nsid)", of: FriendPolicy.collection, calls: targets,
      payload: 500 * targets)
  }

  /// Adds the cost of reading whole collections of the own repository at once, and, if nothing is sent, of finding out
  /// whether they change meanwhile. What is kept and current costs one call.
  ///
  /// - Parameter collections: each with its number of records as an AppView counts them; nil if it does not.
  package mutating func addOwnRecords(_ collections: [(NSID, count: Int?)]) {
    if collections.isEmpty { return }
    add("\(Com.Atproto.Sync.GetLatestCommit.nsid)", calls: 2, payload: 400, inTurn: true, assuming: .facts)
    for (collection, count) in collections {
      add(
        "com.atproto.repo.listRecords", of: collection, calls: count.map(Self.rangedPages),
        payload: (count ?? 0) * 300, assuming: .counts)
    }
  }

  /// The most pages for this many records if ranges of keys are read at once: see ``RangedListing``.
  private static func rangedPages(_ count: Int) -> Int {
    count < RecordReader.pageSize ? recordPages(count) : 2 * recordPages(count) + 8
  }
}
