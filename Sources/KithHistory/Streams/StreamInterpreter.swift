// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
internal import KithRelationships

/// Reads what events of a stream say of followed listings. A value without I/O; the store decides what an event changes.
///
/// An event that does not concern a watched actor costs some look-ups. Followed are followers and follows, in any graph, and
/// the blocks of actors; other listings are left out. With the followers in Bluesky's graph come the actor's friend requests.
///
/// A block hides an account from the actor's followers in Bluesky's graph. Listings of the actor's own records keep it: the
/// records are there.
public struct StreamInterpreter: Sendable {
  /// How long after its last record the records of an account that come again after a break are waited for, by the time of
  /// the stream.
  static let patience = Duration.seconds(60)

  /// What events say.
  public struct Reading: Sendable, Hashable {
    /// In the order of the stream.
    public var events: [HistoryEvent] = []
    public var doubts: [StreamDoubt] = []
    public var friends: [FriendEvent] = []
    /// The keys of records of blocks, by the indices of ``events`` that blocks hide an account, or do not any more.
    var blocks: [Int: RecordKey] = [:]

    public init() {}
  }

  /// The actors that are watched in one graph.
  private struct Watched {
    let graph: FollowGraph
    var followers: Set<DID> = []
    var follows: Set<DID> = []
  }

  /// An account whose repository broke.
  private struct Rebuilding {
    let begun: JetstreamEvent
    var last: Instant
    var seen: [HistoryListing: Set<RecordKey>] = [:]
  }

  private var graphs: [Watched] = []
  /// The actors whose blocks are followed.
  private var blocking: Set<DID> = []
  /// The actors from whose followers a block hides an account.
  private var hiding: Set<DID> = []
  /// The subjects of blocks from or of watched actors, by author and key.
  private var blocks: [DID: [RecordKey: DID]] = [:]
  private var rebuilding: [DID: Rebuilding] = [:]
  private var friends: FriendInterpreter

  /// Creates an interpreter for some listings.
  public init(of listings: some Sequence<HistoryListing>) {
    for listing in listings {
      switch listing.side {
      case .followers, .follows:
        let graph = listing.graph ?? .bluesky
        let index = graphs.firstIndex { $0.graph == graph } ?? graphs.endIndex
        if index == graphs.endIndex { graphs.append(Watched(graph: graph)) }
        if listing.side == .follows {
          graphs[index].follows.insert(listing.actor)
        } else {
          graphs[index].followers.insert(listing.actor)
          if graph == .bluesky { hiding.insert(listing.actor) }
        }
      case .blocks: blocking.insert(listing.actor)
      case .mutes, .members: break
      }
    }
    friends = FriendInterpreter(of: hiding)
  }

  /// The collections whose records matter, for the filter of a stream.
  public var collections: [String] {
    let hasBlocks = !blocking.isEmpty || !hiding.isEmpty
    let others = (hasBlocks ? [NSID.block] : []) + (hiding.isEmpty ? [] : FriendInterpreter.collections)
    return (graphs.map(\.graph.collection) + others).map(\.description).sorted()
  }

  /// The place of the earliest event that waits for later ones; nil if there is none.
  var waitsSince: StreamCursor? {
    rebuilding.values.map(\.begun.cursor).min { $0.at < $1.at }
  }

  /// Adds a block that was known before the stream, so that its deletion tells its subject.
  mutating func know(_ key: RecordKey, by author: DID, of subject: DID) {
    blocks[author, default: [:]][key] = subject
  }

  /// Reads an event.
  public mutating func read(_ event: JetstreamEvent, into reading: inout Reading) {
    if !rebuilding.isEmpty { endRebuilding(before: event, &reading) }
    let (did, moment) = (event.did, event.at)
    func add(_ kind: HistoryEvent.Kind) { reading.events.append(HistoryEvent(kind, at: moment)) }
    switch event.kind {
    case .commit(let commit):
      if commit.collection == .block {
        readBlock(commit, event, &reading)
      } else if let watched = graphs.firstIndex(where: { $0.graph.collection == commit.collection }) {
        readFollow(commit, graphs[watched], event, &reading)
      } else {
        var isAgain = false
        if case .create = commit.operation { isAgain = rebuilding[did] != nil }
        friends.read(event, isAgain: isAgain, into: &reading.friends)
      }
    case .identity(let handle): if let handle { add(.renamed(did, handle)) }
    case .account(let state) where state.isActive: add(.shown(did))
    case .account(let state):
      switch state.status {
      case "deleted":
        blocks[did] = nil
        add(.purged(did))
      case "deactivated": add(.hidden(did, .deactivated))
      case "suspended", "takendown": add(.hidden(did, .suspended))
      // The account is there; only its host has trouble.
      case "desynchronized", "throttled": break
      default: add(.hidden(did, .unknown))
      }
    case .sync: rebuilding[did] = Rebuilding(begun: event, last: moment)
    }
  }

  // MARK: Follows

  private mutating func readFollow(
    _ commit: JetstreamCommit, _ watched: Watched, _ event: JetstreamEvent, _ reading: inout Reading
  ) {
    let (did, moment) = (event.did, event.at)
    switch commit.operation {
    case .create: break
    case .update, .delete:
      reading.events.append(
        HistoryEvent(.deleted(commit.rkey, in: commit.collection, by: did), at: moment))
    }
    guard let subject = commit.subject else { return }
    if watched.followers.contains(subject) {
      made(did, commit.rkey, on: HistoryListing(.followers, of: subject, in: watched.graph), event, &reading)
    }
    if watched.follows.contains(did) {
      made(subject, commit.rkey, on: HistoryListing(.follows, of: did, in: watched.graph), event, &reading)
    }
  }

  private mutating func made(
    _ account: DID, _ key: RecordKey, on listing: HistoryListing, _ event: JetstreamEvent,
    _ reading: inout Reading
  ) {
    reading.events.append(HistoryEvent(.made(account, key, on: listing), at: event.at))
    if !rebuilding.isEmpty { rebuilding[event.did]?.seen[listing, default: []].insert(key) }
  }

  // MARK: Blocks

  private mutating func readBlock(
    _ commit: JetstreamCommit, _ event: JetstreamEvent, _ reading: inout Reading
  ) {
    let (did, moment, key) = (event.did, event.at, commit.rkey)
    let subject = commit.subject
    switch commit.operation {
    case .create: break
    case .update, .delete:
      let former = blocks[did]?[key]
      if former == nil || former != subject { endBlock(key, of: former, event, &reading) }
      if blocking.contains(did) {
        reading.events.append(HistoryEvent(.deleted(key, in: .block, by: did), at: moment))
      }
    }
    guard let subject else { return }
    let isOwn = blocking.contains(did)
    let (hidesSubject, hidesAuthor) = (hiding.contains(did), hiding.contains(subject))
    guard isOwn || hidesSubject || hidesAuthor else { return }
    blocks[did, default: [:]][key] = subject
    if isOwn { made(subject, key, on: HistoryListing(.blocks, of: did), event, &reading) }
    func add(_ account: DID, _ cause: LossCause, _ actor: DID) {
      reading.blocks[reading.events.count] = key
      reading.events.append(
        HistoryEvent(.blocked(account, cause, from: .followers(of: actor)), at: moment))
    }
    if hidesSubject { add(subject, .blocking, did) }
    if hidesAuthor { add(did, .blockedBy, subject) }
  }

  /// A record of a block was deleted or replaced.
  private mutating func endBlock(
    _ key: RecordKey, of subject: DID?, _ event: JetstreamEvent, _ reading: inout Reading
  ) {
    let did = event.did
    guard let subject else {
      reading.doubts.append(StreamDoubt(.unblocked(by: did, key), event))
      return
    }
    blocks[did]?[key] = nil
    guard blocks[did]?.values.contains(subject) != true else { return }
    if blocks[did]?.isEmpty == true { blocks[did] = nil }
    func add(_ account: DID, _ cause: LossCause, _ actor: DID) {
      guard hiding.contains(actor) else { return }
      reading.blocks[reading.events.count] = key
      reading.events.append(
        HistoryEvent(.unblocked(account, cause, from: .followers(of: actor)), at: event.at))
    }
    add(subject, .blocking, did)
    add(did, .blockedBy, subject)
  }

  // MARK: Repositories that broke

  /// The records that are there come again; those that have not come until something else happens may be gone.
  private mutating func endRebuilding(before event: JetstreamEvent, _ reading: inout Reading) {
    if let known = rebuilding[event.did] {
      if case .commit(let commit) = event.kind, case .create = commit.operation {
        rebuilding[event.did]?.last = event.at
      } else {
        end(known, &reading)
      }
    }
    for known in rebuilding.values.filter({ event.at - $0.last > Self.patience }) { end(known, &reading) }
  }

  private mutating func end(_ known: Rebuilding, _ reading: inout Reading) {
    rebuilding[known.begun.did] = nil
    reading.doubts.append(StreamDoubt(.rebuilt(known.begun.did, seen: known.seen), known.begun))
  }
}

/// What an event leaves open; what is known of its account, and perhaps a server, can tell.
public struct StreamDoubt: Sendable, Hashable {
  /// What happened.
  public enum Kind: Sendable, Hashable {
    /// An account deleted a block, and it is not known which account it was about.
    case unblocked(by: DID, RecordKey)
    /// The repository of an account broke, and these records came again. Others of it may be gone.
    case rebuilt(DID, seen: [HistoryListing: Set<RecordKey>])
  }

  public let kind: Kind
  /// The place of the event.
  public let cursor: StreamCursor

  init(_ kind: Kind, _ event: JetstreamEvent) { (self.kind, cursor) = (kind, event.cursor) }
}

extension HistoryListing {
  /// The followers in Bluesky's graph, where a block hides an account.
  fileprivate static func followers(of actor: DID) -> HistoryListing { HistoryListing(.followers, of: actor) }
}

extension JetstreamCommit {
  /// The account that the record is about; nil after a deletion, and if it is about none.
  fileprivate var subject: DID? { record?["subject"]?.string.flatMap { DID($0) } }
}
