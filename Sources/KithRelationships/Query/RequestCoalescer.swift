// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
internal import KithCore

/// The pairs of one call: an account that is asked about others.
struct Batch: Equatable, Sendable {
  var center: DID
  var others: [DID]
}

/// Coalesces the pairs that callers wait for: a pure state machine that receives events and returns the
/// next actions.
///
/// A pair is requested once, regardless of how many callers wait for it and from which end they asked.
/// Pairs wait until a batch is full or they are due; at most ``concurrency`` batches are in progress, and
/// the longest waiting goes first.
struct RequestCoalescer: ~Copyable {
  /// A unique number of a caller.
  typealias CallerID = Int
  typealias BatchID = Int

  /// A target that a caller asks about.
  struct Request: Equatable, Sendable {
    /// The actor and the target.
    let pair: PairKey
    /// The caller's own number for the request.
    let slot: Int
    /// When it is sent even if its batch is not full; nil to wait for the caller's flush.
    let due: Duration?

    init(_ actor: DID, _ target: DID, slot: Int, due: Duration?) {
      self.slot = slot
      self.due = due
      pair = PairKey(actor, target)
    }
  }

  /// The answer to one ``Request``.
  struct Delivery: Equatable, Sendable {
    let slot: Int
    let outcome: Outcome
  }

  /// An answer to a caller.
  enum Outcome: Equatable, Sendable {
    case finding(RelationshipFinding)
    /// The caller's actor does not exist. Indirect, like the rare cases of ``RelationshipFinding``.
    indirect case noActor(RelationshipError)
  }

  /// An action for the driver.
  enum Action: Equatable {
    /// Call the source, and return the outcome through ``answered(_:_:at:)``.
    case send(BatchID, Batch)
    /// This batch has no waiters left; its outcome is not needed.
    case abandon(BatchID)
    /// Deliver answers to a caller.
    case deliver(CallerID, [Delivery])
  }

  struct Waiter {
    let caller: CallerID
    let slot: Int
    /// Whether it asks from the other end than the first waiter.
    let isReversed: Bool
  }

  /// The waiters of a pair, in order of arrival; usually one, which needs no array.
  struct Waiters {
    private var first: Waiter?
    private var others: [Waiter] = []

    init(_ first: Waiter) { self.first = first }

    var isEmpty: Bool { first == nil }

    func contains(_ caller: CallerID) -> Bool {
      first?.caller == caller || others.contains { $0.caller == caller }
    }

    /// How many times a caller waits.
    func count(of caller: CallerID) -> Int {
      var count = 0
      forEach { if $0.caller == caller { count += 1 } }
      return count
    }

    mutating func append(_ waiter: Waiter) {
      if first == nil { first = waiter } else { others.append(waiter) }
    }

    /// Returns false if the caller was not a waiter.
    mutating func remove(_ caller: CallerID) -> Bool {
      guard contains(caller) else { return false }
      others.removeAll { $0.caller == caller }
      if first?.caller == caller { first = others.isEmpty ? nil : others.removeFirst() }
      return true
    }

    /// Nil if there are only refreshes.
    var firstCaller: CallerID? {
      if let first, first.caller != RequestCoalescer.refresher { return first.caller }
      return others.first { $0.caller != RequestCoalescer.refresher }?.caller
    }

    func forEach(_ body: (Waiter) -> Void) {
      if let first { body(first) }
      for other in others { body(other) }
    }
  }

  /// A pair with waiters, pending or in a batch.
  // NOTE: not private, because the compiler (6.3) fails on a private type in a property of a noncopyable
  // type.
  struct OpenPair: SlabRecord {
    let pair: PairKey
    /// Whether the first request came from the account that sorts first.
    let isFromLow: Bool
    var waiters: Waiters
    /// Nil while the pair is pending.
    var batch: BatchID?
    var link: SlabLink

    init(_ pair: PairKey, isFromLow: Bool, _ waiter: Waiter) {
      self.pair = pair
      self.isFromLow = isFromLow
      waiters = Waiters(waiter)
      link = SlabLink(hash: pair.slabHash)
    }

    func has(_ key: PairKey) -> Bool { pair == key }
  }

  /// A pair that waits until its batch is full or it is due.
  private struct PendingPair {
    let pair: PairKey
    let isFromLow: Bool
    var due: Duration?

    var actor: DID { isFromLow ? pair.low : pair.high }
    var target: DID { isFromLow ? pair.high : pair.low }
    func isDue(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }
    func has(_ account: DID) -> Bool { pair.low == account || pair.high == account }
  }

  /// A batch that is ready or in progress.
  private struct OpenBatch {
    var batch: Batch
    /// The pairs of the batch, in the order of its `others`.
    var pairs: [PairKey]
    /// When its pairs began to wait.
    let since: Duration
    /// Number of pairs that still have waiters.
    var wanted: Int
    var isSent = false
    /// Pairs that were invalidated after the batch was sent: its answer is for the earlier waiters, and is
    /// not cached.
    var invalidated: [PairKey: OpenPair] = [:]
  }

  /// The internal caller that refreshes stale entries without waiters.
  private static let refresher: CallerID = 0
  /// Limit for refreshes, in batches: waiters come first, and the remaining entries stay stale until the
  /// next request.
  private static let mostRefreshes = 4

  private let size: Int
  private let concurrency: Int
  private var pairs = SlabCache<OpenPair>()
  private var pending: [PendingPair] = []
  /// The number of pending pairs of each account.
  private var degrees: [DID: Int] = [:]
  /// No pending pair is due before this; nil if none has a due time.
  private var earliest: Duration?
  private var batches: [BatchID: OpenBatch] = [:]
  private var ready: Deque<BatchID> = []
  private var underWay = 0
  private var refreshing = 0
  private var lastBatch: BatchID = 0
  private var lastCaller: CallerID = refresher

  /// - Parameters:
  ///   - size: the most `others` of a batch.
  ///   - concurrency: the most concurrent batches.
  init(size: Int, concurrency: Int) {
    self.size = max(1, size)
    self.concurrency = max(1, concurrency)
  }

  /// When ``elapsed(at:)`` has to be called; nil if an event will come first.
  var wakeUp: Duration? { underWay < concurrency ? earliest : nil }

  /// Returns a new caller.
  mutating func newCaller() -> CallerID {
    lastCaller += 1
    return lastCaller
  }

  // MARK: Requests

  /// Adds requests.
  ///
  /// - Parameter requests: about any targets except the actor.
  mutating func request(
    _ actor: DID, about requests: [Request], for caller: CallerID, at now: Duration
  ) -> [Action] {
    var fresh: [PendingPair] = []
    fresh.reserveCapacity(requests.count)
    for request in requests {
      guard let position = pairs.position(of: request.pair) else {
        let isFromLow = request.pair.low == actor
        pairs.insert(
          OpenPair(
            request.pair, isFromLow: isFromLow,
            Waiter(caller: caller, slot: request.slot, isReversed: false)))
        fresh.append(PendingPair(pair: request.pair, isFromLow: isFromLow, due: request.due))
        continue
      }
      let batch = pairs[position].batch
      // Its last waiter may have left while its batch continues for other pairs.
      if pairs[position].waiters.isEmpty, let batch { batches[batch]?.wanted += 1 }
      pairs[position].waiters.append(
        Waiter(
          caller: caller, slot: request.slot,
          isReversed: pairs[position].isFromLow != (request.pair.low == actor)))
      if batch == nil, let due = request.due { hasten(request.pair, to: due, among: &fresh) }
    }
    gather(fresh, of: actor, at: now)
    return dispatch(at: now)
  }

  /// Requests targets again without waiters, except those already requested.
  mutating func refresh(
    _ actor: DID, _ targets: [DID], due: Duration, at now: Duration
  ) -> [Action] {
    var requests: [Request] = []
    for target in targets where refreshing < Self.mostRefreshes * size {
      let request = Request(actor, target, slot: 0, due: due)
      guard pairs.position(of: request.pair) == nil else { continue }
      refreshing += 1
      requests.append(request)
    }
    return request(actor, about: requests, for: Self.refresher, at: now)
  }

  /// The number of a caller's requests that wait for a full batch; a pair that it requested twice counts
  /// twice.
  func pendingCount(of caller: CallerID) -> Int {
    pending.reduce(0) { count, some in
      count + (pairs.position(of: some.pair).map { pairs[$0].waiters.count(of: caller) } ?? 0)
    }
  }

  /// Makes a caller's pending pairs due, as no more requests will fill their batches.
  mutating func flush(_ caller: CallerID, at now: Duration) -> [Action] {
    var isDue = false
    for (position, some) in pending.enumerated() where isWaited(for: some.pair, by: caller) {
      pending[position].due = min(some.due ?? now, now)
      isDue = true
    }
    if isDue { earliest = min(earliest ?? now, now) }
    return dispatch(at: now)
  }

  private func isWaited(for pair: PairKey, by caller: CallerID) -> Bool {
    pairs.position(of: pair).map { pairs[$0].waiters.contains(caller) } ?? false
  }

  /// Processes pairs that have become due.
  mutating func elapsed(at now: Duration) -> [Action] { dispatch(at: now) }

  private mutating func hasten(_ pair: PairKey, to due: Duration, among fresh: inout [PendingPair]) {
    func hasten(_ some: inout [PendingPair]) -> Bool {
      guard let position = some.firstIndex(where: { $0.pair == pair }) else { return false }
      some[position].due = min(some[position].due ?? due, due)
      return true
    }
    if !hasten(&fresh), hasten(&pending) { earliest = min(earliest ?? due, due) }
  }

  // MARK: Batches

  /// Adds pending pairs and forms full batches.
  private mutating func gather(_ fresh: [PendingPair], of actor: DID, at now: Duration) {
    var remaining = fresh[...]
    while !remaining.isEmpty, degrees[actor, default: 0] + remaining.count >= size {
      let waiting = takePending(with: actor)
      let further = remaining.prefix(size - waiting.count)
      remaining = remaining.dropFirst(further.count)
      open(waiting.isEmpty ? further : waiting + further, from: actor, since: now)
    }
    for pair in remaining {
      pending.append(pair)
      degrees[actor, default: 0] += 1
      degrees[pair.target, default: 0] += 1
      if let due = pair.due { earliest = min(earliest ?? due, due) }
      if degrees[pair.target, default: 0] >= size {
        open(takePending(with: pair.target)[...], from: pair.target, since: now)
      }
    }
  }

  /// Removes and returns up to one batch of an account's pending pairs.
  private mutating func takePending(with account: DID) -> [PendingPair] {
    guard degrees[account] != nil else { return [] }
    var taken: [PendingPair] = []
    removePending { [size] pair in
      guard taken.count < size, pair.has(account) else { return false }
      taken.append(pair)
      return true
    }
    return taken
  }

  private mutating func removePending(where isGone: (PendingPair) -> Bool) {
    var kept: [PendingPair] = []
    for pair in pending {
      if !isGone(pair) {
        kept.append(pair)
        continue
      }
      for account in [pair.actor, pair.target] {
        if let degree = degrees[account] { degrees[account] = degree > 1 ? degree - 1 : nil }
      }
    }
    pending = kept
    if pending.isEmpty { earliest = nil }
  }

  /// Creates a batch of an account's pairs that were removed from the pending ones.
  ///
  /// - Parameter isNext: whether it goes before all others.
  private mutating func open(
    _ some: ArraySlice<PendingPair>, from center: DID, since: Duration, isNext: Bool = false
  ) {
    lastBatch += 1
    for pair in some {
      if let position = pairs.position(of: pair.pair) { pairs[position].batch = lastBatch }
    }
    batches[lastBatch] = OpenBatch(
      batch: Batch(center: center, others: some.map { $0.pair.opposite(center) }), pairs: some.map(\.pair),
      since: since, wanted: some.count)
    if isNext { ready.prepend(lastBatch) } else { ready.append(lastBatch) }
  }

  /// Sends batches up to the concurrency limit, the longest waiting first.
  private mutating func dispatch(at now: Duration) -> [Action] {
    var actions: [Action] = []
    while underWay < concurrency {
      let first = ready.first.flatMap { batches[$0]?.since }
      if let earliest, earliest <= now, first.map({ earliest < $0 }) ?? true {
        openDue(at: now)
      } else if let id = ready.popFirst(), let batch = batches[id]?.batch {
        batches[id]?.isSent = true
        underWay += 1
        actions.append(.send(id, batch))
      } else {
        break
      }
    }
    return actions
  }

  /// Creates as few batches as possible from the due pairs, and fills them with other pending pairs.
  private mutating func openDue(at now: Duration) {
    let since = earliest ?? now
    var due: [PairKey: PendingPair] = [:]
    var ends: [PairCover.Pair] = []
    removePending { pair in
      guard pair.isDue(at: now) else { return false }
      due[pair.pair] = pair
      ends.append((pair.actor, pair.target))
      return true
    }
    for batch in PairCover.batches(covering: ends, atMost: size).reversed() {
      var some = batch.others.compactMap { due[PairKey(batch.center, $0)] }
      removePending { [size] pair in
        guard some.count < size, pair.has(batch.center) else { return false }
        some.append(pair)
        return true
      }
      open(some[...], from: batch.center, since: since, isNext: true)
    }
    earliest = pending.lazy.compactMap(\.due).min()
  }

  // MARK: Answers

  /// Processes the outcome of a batch.
  ///
  /// - Parameter outcome: one finding per element of `others`, in order.
  mutating func answered(
    _ id: BatchID, _ outcome: Result<[RelationshipFinding], RelationshipError>, at now: Duration
  ) -> [Action] {
    guard let open = batches.removeValue(forKey: id) else { return [] }
    underWay -= 1
    let center = open.batch.center
    var deliveries: [(caller: CallerID, deliveries: [Delivery])] = []
    for (position, key) in open.pairs.enumerated() {
      guard let (isFromLow, waiters) = close(key, of: id, open) else { continue }
      let isFromCenter = isFromLow == (key.low == center)
      waiters.forEach { waiter in
        if waiter.caller == Self.refresher {
          refreshing -= 1
          return
        }
        let answer = Self.answer(
          outcome, at: position, about: open.batch.others[position],
          isFromCenter: isFromCenter != waiter.isReversed)
        if deliveries.last?.caller != waiter.caller { deliveries.append((waiter.caller, [])) }
        deliveries[deliveries.count - 1].deliveries.append(Delivery(slot: waiter.slot, outcome: answer))
      }
    }
    return deliveries.map { .deliver($0.caller, $0.deliveries) } + dispatch(at: now)
  }

  /// Removes a pair from a completed batch.
  private mutating func close(
    _ pair: PairKey, of id: BatchID, _ batch: OpenBatch
  ) -> (isFromLow: Bool, waiters: Waiters)? {
    if !batch.invalidated.isEmpty, let invalidated = batch.invalidated[pair] {
      return (invalidated.isFromLow, invalidated.waiters)
    }
    guard let position = pairs.position(of: pair), pairs[position].batch == id else { return nil }
    let open = (pairs[position].isFromLow, pairs[position].waiters)
    pairs.remove(at: position)
    return open
  }

  /// Converts an answer for a caller, which may have asked from the other end.
  private static func answer(
    _ outcome: Result<[RelationshipFinding], RelationshipError>, at position: Int, about other: DID,
    isFromCenter: Bool
  ) -> Outcome {
    switch outcome {
    case .success(let findings):
      let finding = position < findings.count ? findings[position] : .failed(.invalidResponse)
      if isFromCenter { return .finding(finding) }
      switch finding {
      case .known(let info): return .finding(.known(info.swapped))
      case .notFound: return .noActor(.actorNotFound(other))
      case .failed: return .finding(finding)
      }
    case .failure(let error) where error.code == .actorNotFound:
      return isFromCenter ? .noActor(error) : .finding(.notFound)
    case .failure(let error): return .finding(.failed(error))
    }
  }

  // MARK: Batch state

  /// Whether the batch still has waiters.
  func isOpen(_ id: BatchID) -> Bool { batches[id] != nil }

  /// The first caller that waits for a pair of a batch; nil if there are only refreshes.
  func firstCaller(in id: BatchID) -> CallerID? {
    guard let batch = batches[id] else { return nil }
    for pair in batch.pairs {
      let open = batch.invalidated[pair] ?? pairs.position(of: pair).map { pairs[$0] }
      if let caller = open?.waiters.firstCaller { return caller }
    }
    return nil
  }

  /// The pairs of a batch, in the order of its `others`.
  func pairs(in id: BatchID) -> [PairKey] { batches[id]?.pairs ?? [] }

  /// The pairs of a batch whose answer may be outdated.
  func invalidated(in id: BatchID) -> Set<PairKey> {
    guard let invalidated = batches[id]?.invalidated, !invalidated.isEmpty else { return [] }
    return Set(invalidated.keys)
  }

  /// Whether the first request for a pair came from the other end than the batch's center.
  func isReversed(_ pair: PairKey, in id: BatchID) -> Bool {
    guard let batch = batches[id] else { return false }
    let isFromLow =
      batch.invalidated[pair]?.isFromLow ?? pairs.position(of: pair).map { pairs[$0].isFromLow }
    return isFromLow.map { $0 != (pair.low == batch.batch.center) } ?? false
  }

  // MARK: Invalidation and cancellation

  /// Invalidates a pair: an answer in progress is outdated, and later requests are sent again.
  mutating func invalidate(_ pair: PairKey) {
    guard let position = pairs.position(of: pair), let id = pairs[position].batch,
      batches[id]?.isSent == true
    else { return }
    let open = pairs[position]
    pairs.remove(at: position)
    batches[id]?.invalidated[pair] = open
  }

  /// Invalidates all pairs in progress.
  mutating func invalidateAll() {
    for pair in batches.values.flatMap(\.pairs) { invalidate(pair) }
  }

  /// Removes a caller as a waiter of these pairs and of all its pending pairs.
  mutating func cancel(_ caller: CallerID, of some: [PairKey], at now: Duration) -> [Action] {
    var abandoned: [Action] = []
    var gone: Set<PairKey> = []
    var left = some
    for other in pending where isWaited(for: other.pair, by: caller) { left.append(other.pair) }
    for pair in left {
      if gone.contains(pair) { continue }
      guard let position = pairs.position(of: pair), pairs[position].waiters.remove(caller) else {
        abandoned += leaveInvalidated(pair, caller)
        continue
      }
      guard pairs[position].waiters.isEmpty else { continue }
      if let batch = pairs[position].batch {
        abandoned += noLongerWanted(pair, of: batch)
      } else {
        pairs.remove(at: position)
        gone.insert(pair)
      }
    }
    if !gone.isEmpty { removePending { gone.contains($0.pair) } }
    return abandoned + dispatch(at: now)
  }

  private mutating func leaveInvalidated(_ pair: PairKey, _ caller: CallerID) -> [Action] {
    for id in Array(batches.keys) where batches[id]?.invalidated[pair]?.waiters.remove(caller) == true {
      return batches[id]?.invalidated[pair]?.waiters.isEmpty == true ? noLongerWanted(pair, of: id) : []
    }
    return []
  }

  /// Updates a batch after one of its pairs lost its last waiter.
  private mutating func noLongerWanted(_ pair: PairKey, of id: BatchID) -> [Action] {
    batches[id]?.wanted -= 1
    guard let open = batches[id] else { return [] }
    if !open.isSent {
      // Remove it before it is sent.
      if let position = pairs.position(of: pair) { pairs.remove(at: position) }
      batches[id]?.batch.others.removeAll { $0 == pair.opposite(open.batch.center) }
      batches[id]?.pairs.removeAll { $0 == pair }
    }
    guard open.wanted == 0 else { return [] }
    batches[id] = nil
    if !open.isSent {
      ready.removeAll { $0 == id }
      return []
    }
    for pair in open.pairs { _ = close(pair, of: id, open) }
    underWay -= 1
    return [.abandon(id)]
  }
}
