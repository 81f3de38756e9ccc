// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The state of a served network: the generated network and all later changes. Thread-safe.
final class LiveNetwork: Sendable {
  let network: SandboxNetwork
  let posts: PostTimeline
  let pace: SandboxPace
  let writing: SandboxWriting
  let wall: @Sendable () -> Instant
  /// What happens, for subscribers.
  let stream: EventStream
  private let revisions: TIDClock
  private let state: PosixMutex<NetworkState>
  let story: PosixMutex<SandboxStory>

  /// - Parameters:
  ///   - days: the number of days in the story.
  ///   - pace: the kind of story.
  ///   - stream: how its Jetstream behaves.
  init(
    _ network: SandboxNetwork, _ writing: SandboxWriting, days: Int = 0, pace: SandboxPace = .steady,
    stream: SandboxStream = SandboxStream(), wall: @escaping @Sendable () -> Instant
  ) {
    self.network = network
    self.writing = writing
    self.wall = wall
    self.pace = pace
    self.stream = EventStream(stream)
    revisions = TIDClock(clockID: 0, wall: wall)
    let start = wall()
    // A growth story is for charts: at its end, bots are young.
    posts = PostTimeline(network, start: start, youth: pace == .growth ? days : 0)
    state = PosixMutex(NetworkState(network, writing, posts: posts))
    let growth = GrowthStory(days: days, seed: network.configuration.seed, eve: Post.day(of: start))
    story = PosixMutex(SandboxStory(days: days, growth: pace == .growth ? growth : nil))
  }

  /// Runs a closure with exclusive access to the state, after the AppView has indexed everything that its lag
  /// allows.
  ///
  /// - Parameter body: also receives the time.
  func withState<Result>(
    _ body: (inout NetworkState, _ now: Instant) throws(XRPCFault) -> Result
  ) throws(XRPCFault) -> Result {
    let now = wall()
    return try state.withLock { state throws(XRPCFault) in
      state.index(until: now)
      return try body(&state, now)
    }
  }

  /// Runs a closure with exclusive access to the state.
  func state<Result>(_ body: (inout NetworkState) -> Result) -> Result { state.withLock { body(&$0) } }

  /// The number of commits and reports so far.
  var tally: (commits: Int, reports: Int) { state.withLock { ($0.commits, $0.reports.count) } }

  func records(of did: DID, in collection: NSID) -> [(key: RecordKey, value: DataValue)] {
    guard let account = network.index(of: did) else { return [] }
    return state.withLock { $0.repository(account).table(collection) }.entries
      .map { ($0.key, network.content(of: $0.record).value) }
  }

  /// Sets and removes records in one commit.
  ///
  /// - Parameter isStreamed: whether subscribers learn of it.
  /// - Returns: whether it succeeded.
  func setRecords(
    _ values: [RecordKey: DataValue?], in collection: NSID, of did: DID, isStreamed: Bool = true
  ) -> Bool {
    guard let account = network.index(of: did) else { return false }
    let writes = values.map { key, value in
      PreparedWrite(
        action: value == nil ? .discard : .put, name: SandboxRecordName(collection: collection, key: key),
        written: value.map { WrittenRecord($0) })
    }
    do throws(XRPCFault) {
      _ = try commit(writes, to: account, swap: nil, isStreamed: isStreamed)
      return true
    } catch {
      return false
    }
  }

  func continueSession(of did: DID, accessToken: String, refreshToken: String) -> Bool {
    guard let account = network.index(of: did) else { return false }
    let now = wall()
    state.withLock {
      $0.sessions.reopen(account, expiredAccess: accessToken, refresh: refreshToken, at: now)
    }
    return true
  }

  func endSessions(of did: DID) {
    guard let account = network.index(of: did) else { return }
    state.withLock { $0.sessions.closeAll(of: account) }
  }

  /// The current status and handle of each account.
  var standings: AccountStatuses { state.withLock { $0.graph.standings } }

  /// Returns the account of a caller's access token.
  func account(of caller: XRPCCaller) throws(XRPCFault) -> Int {
    try withState { state, now throws(XRPCFault) in
      try state.sessions.account(caller.bearerToken, at: now)
    }
  }

  /// Makes a commit, all or nothing.
  ///
  /// - Parameters:
  ///   - swap: the commit that must be the latest.
  ///   - replacing: whether an older follow or block of the same subject is replaced (Q16).
  ///   - isStreamed: whether subscribers learn of it.
  /// - Returns: the commit; nil if there is nothing to write.
  func commit(
    _ writes: [PreparedWrite], to account: Int, swap: CID?, replacing: Bool = false, isStreamed: Bool = true
  ) throws(XRPCFault) -> Com.Atproto.Repo.Defs.CommitMeta? {
    let plan = CommitPlan(dialect: writing.dialect)
    return try withState { state, now throws(XRPCFault) in
      state.open(Set(writes.map(\.name.collection)), of: account)
      let repository = state.repository(account)
      let outcome = try plan.outcome(
        of: writes, in: repository, at: latestCommit(of: repository, now: now).cid, swap: swap,
        replacing: replacing)
      guard !outcome.isEmpty else { return nil }
      for case (_, let written?) in outcome { try state.files.check(written.value, of: account, at: now) }
      let rev = revisions.next()
      let changes = try state.commit(outcome, to: account, rev: rev, at: now, lag: writing.lag)
      if isStreamed {
        let kinds = changes.map { StreamEvent.Kind.commit($0, rev: rev, isResync: false) }
        stream.append(kinds, of: network.dids[account], at: now)
      }
      for (name, written) in outcome { state.files.settle(written?.value, name, of: account) }
      return state.repository(account).head
    }
  }

  /// Returns the latest commit; in a growing network, that of the latest post, unless something was written
  /// later.
  func latestCommit(of repository: SandboxRepository, now: Instant) -> Com.Atproto.Repo.Defs.CommitMeta {
    guard pace == .growth else { return repository.latestCommit(at: now) }
    let latest = posts.items(of: repository.account, before: now + .microseconds(1), limit: 1) {
      $0.kind != .repost
    }
    let isWritten = repository.head.rev != Identities.firstRevision
    guard let post = latest.first, !isWritten || post.moment > repository.head.rev.instant else {
      return repository.head
    }
    return Com.Atproto.Repo.Defs.CommitMeta(
      cid: post.cid, rev: TID(at: post.moment, clockID: 0))
  }

  /// Tells subscribers that a repository continues at another revision.
  ///
  /// - Parameter withRecords: whether its records follow in the stream.
  func sync(_ did: DID, withRecords: Bool) {
    guard let account = network.index(of: did) else { return }
    let now = wall()
    state.withLock { state in
      let rev = revisions.next()
      let repository = state.repository(account)
      var kinds = [StreamEvent.Kind.sync(rev: rev)]
      for collection in withRecords ? repository.collections : [] {
        for entry in repository.table(collection).entries {
          let change = RecordChange(
            account: account, collection: collection, key: entry.key, former: nil,
            written: network.content(of: entry.record), moment: now)
          kinds.append(.commit(change, rev: rev, isResync: true))
        }
      }
      stream.append(kinds, of: did, at: now)
    }
  }

  /// Returns the next key for a record without one.
  func nextKey() -> RecordKey { RecordKey(tid: revisions.next()) }
}
