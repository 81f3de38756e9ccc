// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// What full snapshots of an account would see, as the lines that `kith db load-history` reads.
///
/// A snapshot is written as its changes from the one before. About a lost account, it says what servers would answer.
struct StoryObserver {
  /// A side of the account's graph, as `kith` names it.
  private enum Side: String, CaseIterable {
    case followers, follows, blocks
  }

  private let account: Int
  /// The accounts on each side in its last snapshot, and the keys of their records.
  private var listed: [Side: [DID: RecordKey]] = [:]
  /// The handles under which accounts were seen last.
  private var handles: [DID: Handle] = [:]

  init(of account: NamedAccount) { self.account = account.rawValue }

  /// Returns the lines of one snapshot of each side, at the time of the network.
  mutating func lines(in live: LiveNetwork) throws -> [String] {
    // The view is gone when this returns: while it exists, each event would copy the graph.
    let (view, records) = live.state { state in
      (
        AppView(state, paging: .refilled, url: "https://appview.invalid", viewer: nil, now: live.wall()),
        state.repository(account)
      )
    }
    let actor = live.network.dids[account]
    // Its milliseconds are rounded up: a snapshot is not older than the records that it saw.
    let at = Datetime(at: view.now + .microseconds(999))
    let counts = view.counts(of: account)
    let names = try newNames(of: actor, in: view)
    var lines = [
      #"{"kind":"counts","actor":"\#(actor)","at":"\#(at)","followers":\#(counts.followers),"#
        + #""follows":\#(counts.follows),"posts":\#(counts.posts)\#(names)}"#
    ]
    for side in Side.allCases {
      let counted =
        switch side {
        case .followers: ",\"counted\":\(counts.followers)"
        case .follows: ",\"counted\":\(counts.follows)"
        case .blocks: ""
        }
      lines.append(
        #"{"kind":"snapshot","actor":"\#(actor)","side":"\#(side.rawValue)","at":"\#(at)"\#(counted)}"#)
      let now =
        switch side {
        case .followers: followers(in: view)
        case .follows: subjects(App.Bsky.Graph.Follow.nsid, of: records, in: live)
        case .blocks: subjects(App.Bsky.Graph.Block.nsid, of: records, in: live)
        }
      lines += try changes(of: side, to: now, in: view)
    }
    return lines
  }

  private mutating func changes(
    of side: Side, to now: [DID: RecordKey], in view: AppView
  ) throws -> [String] {
    let before = listed[side] ?? [:]
    var kept = now
    var lines: [String] = []
    for (account, key) in now.sorted(by: { $0.key < $1.key }) {
      // A repository has no names.
      let names = try side == .followers ? newNames(of: account, in: view) : ""
      if let known = before[account], side == .followers || known == key {
        // A snapshot asks for the keys of new followers only.
        kept[account] = known
        if !names.isEmpty { lines.append(#"{"kind":"named","account":"\#(account)"\#(names)}"#) }
      } else {
        lines.append(#"{"kind":"listed","account":"\#(account)","key":"\#(key)"\#(names)}"#)
      }
    }
    for account in before.keys.filter({ now[$0] == nil }).sorted() {
      let evidence = side == .followers ? evidence(about: account, in: view) : ["l:no-record"]
      lines.append(
        #"{"kind":"lost","account":"\#(account)","evidence":"\#(evidence.joined(separator: " "))"}"#)
    }
    listed[side] = kept
    return lines
  }

  // MARK: What servers show

  /// The names of an account, as fields that continue a line; empty if its handle is known.
  private mutating func newNames(of account: DID, in view: AppView) throws -> String {
    guard let index = view.network.index(of: account) else { return "" }
    let handle = view.standings.handle(at: index)
    guard handles.updateValue(handle, forKey: account) != handle else { return "" }
    guard let name = view.basicView(of: index).displayName else { return #","handle":"\#(handle)""# }
    let quoted = String(decoding: try JSONCoding.encode(name), as: UTF8.self)
    return #","handle":"\#(handle)","displayName":\#(quoted)"#
  }

  private func followers(in view: AppView) -> [DID: RecordKey] {
    // Without optimisation, each use of the properties in the loop would copy the whole graph.
    let (dids, follows) = (view.network.dids, view.graph.follows)
    var found: [DID: RecordKey] = [:]
    for edge in follows.edges(to: account) {
      let follower = follows.row(of: Int(edge))
      if view.isListed(follower, for: account) { found[dids[follower]] = follows.key(of: Int(edge)) }
    }
    return found
  }

  /// The subjects of the records in a collection of the account; of several records, the newest counts.
  private func subjects(
    _ collection: NSID, of repository: SandboxRepository, in live: LiveNetwork
  ) -> [DID: RecordKey] {
    var found: [DID: RecordKey] = [:]
    for entry in repository.table(collection).entries {
      if let subject = live.subject(of: entry.record) { found[subject] = entry.key }
    }
    return found
  }

  /// What servers answer about an account that no longer shows as a follower: its relationship, and, unless it blocks
  /// the account, its profile; if the AppView does not know it, the directory.
  private func evidence(about other: DID, in view: AppView) -> [String] {
    let edges = view.graph.relationship(of: view.network.dids[account], with: other)
    var evidence = [edges.followedBy.map { "r:follows=\($0)" } ?? "r:no-follow"]
    let blocks = [
      ("blocked-by", edges.blockedBy), ("blocked-by-list", edges.blockedByList),
      ("blocking", edges.blocking), ("blocking-by-list", edges.blockingByList),
    ]
    for case (let answer, let record?) in blocks { evidence.append("r:\(answer)=\(record)") }
    if edges.blockedBy != nil { return evidence }
    guard let index = view.network.index(of: other) else { return evidence }
    switch view.standings.status(at: index) {
    case .active: evidence.append("P:active")
    case .deactivated: evidence.append("p:deactivated")
    case .suspended, .takenDown: evidence.append("p:taken-down")
    case .deleted: evidence += ["p:not-found", "d:deleted"]
    }
    return evidence
  }
}
