// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import DequeModule

/// One call's worth of pairs: an account that is asked about others.
struct Batch: Equatable, Sendable {
  var center: DID
  var others: [DID]
}

/// The pairs that callers wait for: pure state, told of every event, that answers what to do next.
///
/// A pair is asked about once, however many wait for it and from whichever end they asked. Pairs wait until a batch
/// is full or they are due; at most ``concurrency`` batches are under way, and what has waited longest goes first.
struct RequestCoalescer {
  /// A number that no other caller has.
  typealias CallerID = Int
  typealias BatchID = Int

  /// One target that a caller asks about.
  struct Request: Equatable, Sendable {
    let target: DID
    /// What the caller knows the request by.
    let slot: Int
    /// When it leaves, though its batch is not full; nil for when its caller flushes it.
    var due: Duration?
  }

  /// The answer to one ``Request``.
  struct Delivery: Equatable, Sendable {
    let slot: Int
    /// A failure where the caller's actor does not exist; any other is a finding.
    let outcome: Result<RelationshipFinding, RelationshipError>
  }

  /// Something for a driver to do.
  enum Action: Equatable {
    /// Ask the source, and tell the outcome by ``answered(_:_:at:)``.
    case send(BatchID, Batch)
    /// Nobody waits for this batch any more; its outcome is not wanted.
    case abandon(BatchID)
    /// Give a caller answers.
    case deliver(CallerID, [Delivery])
  }

  private struct Waiter {
    let caller: CallerID
    let slot: Int
    /// Whether it asks from the other end than the one who asked first.
    let isReversed: Bool
  }

  /// Those who wait for a pair, in the order in which they came: mostly one, who needs no array.
  private struct Waiters {
    private var first: Waiter?
    private var others: [Waiter] = []

    init(_ first: Waiter) { self.first = first }

    var isEmpty: Bool { first == nil }

    func contains(_ caller: CallerID) -> Bool {
      first?.caller == caller || others.contains { $0.caller == caller }
    }

    mutating func append(_ waiter: Waiter) {
      if first == nil { first = waiter } else { others.append(waiter) }
    }

    /// False when the caller was not there.
    mutating func remove(_ caller: CallerID) -> Bool {
      guard contains(caller) else { return false }
      others.removeAll { $0.caller == caller }
      if first?.caller == caller { first = others.isEmpty ? nil : others.removeFirst() }
      return true
    }

    func forEach(_ body: (Waiter) -> Void) {
      if let first { body(first) }
      for other in others { body(other) }
    }
  }

  private struct OpenPair {
    /// Who was asked about first, and from which end.
    let actor: DID
    var waiters: Waiters
    /// Nil while it is pending.
    var batch: BatchID?
  }

  /// A pair that waits for its batch to be full, or for its time.
  private struct PendingPair {
    let actor: DID
    let target: DID
    var due: Duration?

    var pair: PairKey { PairKey(actor, target) }
    func isDue(at now: Duration) -> Bool { due.map { $0 <= now } ?? false }
    func has(_ account: DID) -> Bool { actor == account || target == account }
  }

  /// A batch that waits for its turn, or is under way.
  private struct OpenBatch {
    var batch: Batch
    /// How long it has waited for its turn.
    let since: Duration
    /// Pairs that somebody still waits for.
    var wanted: Int
    var isSent = false
    /// Pairs that were invalidated since it began: its answer is for those who had asked before, and is not
    /// remembered.
    var invalidated: [PairKey: OpenPair] = [:]
  }

  /// The caller of those pairs that are refreshed although nobody waits for them.
  private static let refresher: CallerID = 0
  /// Batches' worth of pairs that are refreshed at once: those who wait come first, and what is left stays stale
  /// until the next request.
  private static let mostRefreshes = 4

  private let size: Int
  private let concurrency: Int
  private var pairs: [PairKey: OpenPair] = [:]
  private var pending: [PendingPair] = []
  /// How many pending pairs each account is in.
  private var degrees: [DID: Int] = [:]
  /// No pending pair is due before this; nil where none is ever due.
  private var earliest: Duration?
  private var batches: [BatchID: OpenBatch] = [:]
  private var ready: Deque<BatchID> = []
  private var underWay = 0
  private var refreshing = 0
  private var lastBatch: BatchID = 0
  private var lastCaller: CallerID = refresher

  /// - Parameters:
  ///   - size: the most others of one batch.
  ///   - concurrency: the most batches under way at once.
  init(size: Int, concurrency: Int) {
    self.size = max(1, size)
    self.concurrency = max(1, concurrency)
  }

  /// When ``elapsed(at:)`` has something to do; nil for not before another event.
  var wakeUp: Duration? { underWay < concurrency ? earliest : nil }

  /// A number for a new caller.
  mutating func newCaller() -> CallerID {
    lastCaller += 1
    return lastCaller
  }

  // MARK: Requests

  /// Takes requests up.
  ///
  /// - Parameter requests: about any targets but the actor.
  mutating func request(
    _ actor: DID, about requests: [Request], for caller: CallerID, at now: Duration
  ) -> [Action] {
    var fresh: [PendingPair] = []
    fresh.reserveCapacity(requests.count)
    for request in requests {
      let pair = PairKey(actor, request.target)
      let waiter = Waiter(caller: caller, slot: request.slot, isReversed: false)
      // New as a rule: so it is looked up once.
      let new = OpenPair(actor: actor, waiters: Waiters(waiter), batch: nil)
      guard var open = pairs.updateValue(new, forKey: pair) else {
        fresh.append(PendingPair(actor: actor, target: request.target, due: request.due))
        continue
      }
      // Its last waiter may have left, though its batch goes on for other pairs.
      if open.waiters.isEmpty, let batch = open.batch { batches[batch]?.wanted += 1 }
      open.waiters.append(
        Waiter(caller: caller, slot: request.slot, isReversed: open.actor != actor))
      pairs[pair] = open
      if open.batch == nil, let due = request.due { hasten(pair, to: due, among: &fresh) }
    }
    gather(fresh, of: actor, at: now)
    return dispatch(at: now)
  }

  /// Requests targets again although nobody waits for them, but for those that are requested already.
  mutating func refresh(
    _ actor: DID, _ targets: [DID], due: Duration, at now: Duration
  ) -> [Action] {
    var requests: [Request] = []
    for target in targets where refreshing < Self.mostRefreshes * size {
      guard pairs[PairKey(actor, target)] == nil else { continue }
      refreshing += 1
      requests.append(Request(target: target, slot: 0, due: due))
    }
    return request(actor, about: requests, for: Self.refresher, at: now)
  }

  /// How many of a caller's pairs wait for their batch to be full.
  func pendingCount(of caller: CallerID) -> Int {
    pending.count { pairs[$0.pair]?.waiters.contains(caller) == true }
  }

  /// Nothing more comes that would fill a caller's batches: what is pending leaves.
  mutating func flush(_ caller: CallerID, at now: Duration) -> [Action] {
    var isDue = false
    for (position, some) in pending.enumerated()
    where pairs[some.pair]?.waiters.contains(caller) == true {
      pending[position].due = min(some.due ?? now, now)
      isDue = true
    }
    if isDue { earliest = min(earliest ?? now, now) }
    return dispatch(at: now)
  }

  /// Time has passed.
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

  /// Has new pairs wait, and full batches made of them.
  private mutating func gather(_ fresh: [PendingPair], of actor: DID, at now: Duration) {
    var rest = fresh[...]
    while !rest.isEmpty, degrees[actor, default: 0] + rest.count >= size {
      let some = takePending(with: actor)
      let others = rest.prefix(size - some.count)
      rest = rest.dropFirst(others.count)
      open(Batch(center: actor, others: some + others.map(\.target)), since: now)
    }
    for pair in rest {
      pending.append(pair)
      degrees[actor, default: 0] += 1
      degrees[pair.target, default: 0] += 1
      if let due = pair.due { earliest = min(earliest ?? due, due) }
      if degrees[pair.target, default: 0] >= size {
        open(Batch(center: pair.target, others: takePending(with: pair.target)), since: now)
      }
    }
  }

  /// Takes the pending pairs of an account, a batch of them at most, and gives their other ends.
  private mutating func takePending(with account: DID) -> [DID] {
    guard degrees[account] != nil else { return [] }
    var others: [DID] = []
    removePending { [size] pair in
      guard others.count < size, pair.has(account) else { return false }
      others.append(pair.actor == account ? pair.target : pair.actor)
      return true
    }
    return others
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

  /// Makes a batch of pairs that were taken out of the pending ones.
  ///
  /// - Parameter isNext: whether it goes before all others.
  private mutating func open(_ batch: Batch, since: Duration, isNext: Bool = false) {
    lastBatch += 1
    for other in batch.others { pairs[PairKey(batch.center, other)]?.batch = lastBatch }
    batches[lastBatch] = OpenBatch(batch: batch, since: since, wanted: batch.others.count)
    if isNext { ready.prepend(lastBatch) } else { ready.append(lastBatch) }
  }

  /// Sends batches as long as there is room, what has waited longest first.
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

  /// Makes the fewest batches of the pairs that are due, and fills them with others that are not.
  private mutating func openDue(at now: Duration) {
    let since = earliest ?? now
    var due: [PairCover.Pair] = []
    removePending { pair in
      if pair.isDue(at: now) { due.append((pair.actor, pair.target)) }
      return pair.isDue(at: now)
    }
    for var batch in PairCover.batches(covering: due, atMost: size).reversed() {
      removePending { [size] pair in
        guard batch.others.count < size, pair.has(batch.center) else { return false }
        batch.others.append(pair.actor == batch.center ? pair.target : pair.actor)
        return true
      }
      open(batch, since: since, isNext: true)
    }
    earliest = pending.lazy.compactMap(\.due).min()
  }

  // MARK: Answers

  /// A batch has ended.
  mutating func answered(
    _ id: BatchID, _ outcome: Result<[DID: RelationshipFinding], RelationshipError>, at now: Duration
  ) -> [Action] {
    guard let open = batches.removeValue(forKey: id) else { return [] }
    underWay -= 1
    let center = open.batch.center
    var deliveries: [(caller: CallerID, deliveries: [Delivery])] = []
    for other in open.batch.others {
      guard let pair = close(PairKey(center, other), of: id, open) else { continue }
      let isFromCenter = pair.actor == center
      pair.waiters.forEach { waiter in
        if waiter.caller == Self.refresher {
          refreshing -= 1
          return
        }
        let answer = Self.answer(
          outcome, from: center, about: other, isFromCenter: isFromCenter != waiter.isReversed)
        let delivery = Delivery(slot: waiter.slot, outcome: answer)
        if deliveries.last?.caller == waiter.caller {
          deliveries[deliveries.count - 1].deliveries.append(delivery)
        } else {
          deliveries.append((waiter.caller, [delivery]))
        }
      }
    }
    return deliveries.map { .deliver($0.caller, $0.deliveries) } + dispatch(at: now)
  }

  /// Takes a pair out of a batch that has ended.
  private mutating func close(_ pair: PairKey, of id: BatchID, _ batch: OpenBatch) -> OpenPair? {
    if let invalidated = batch.invalidated[pair] { return invalidated }
    guard let place = pairs.index(forKey: pair), pairs[place].value.batch == id else { return nil }
    return pairs.remove(at: place).value
  }

  /// What an answer means to a caller, who may have asked from the other end.
  ///
  /// - Returns: a failure only where it is the caller's actor that does not exist.
  private static func answer(
    _ outcome: Result<[DID: RelationshipFinding], RelationshipError>, from center: DID, about other: DID,
    isFromCenter: Bool
  ) -> Result<RelationshipFinding, RelationshipError> {
    switch outcome {
    case .success(let findings):
      let finding = findings[other] ?? .failed(.invalidResponse)
      if isFromCenter { return .success(finding) }
      switch finding {
      case .known(let info): return .success(.known(info.swapped))
      case .notFound: return .failure(.actorNotFound(other))
      case .failed: return .success(finding)
      }
    case .failure(let error) where error.code == .actorNotFound:
      return isFromCenter ? .failure(error) : .success(.notFound)
    case .failure(let error): return .success(.failed(error))
    }
  }

  // MARK: Facts about a batch

  /// Whether somebody waits for its answer.
  func isOpen(_ id: BatchID) -> Bool { batches[id] != nil }

  /// The pairs of a batch whose answer may be out of date.
  func invalidated(in id: BatchID) -> Set<PairKey> {
    guard let invalidated = batches[id]?.invalidated, !invalidated.isEmpty else { return [] }
    return Set(invalidated.keys)
  }

  /// Whether a pair of a batch was first asked about from the other end than the batch asks.
  func isReversed(_ pair: PairKey, in id: BatchID) -> Bool {
    guard let batch = batches[id], let open = batch.invalidated[pair] ?? pairs[pair] else { return false }
    return open.actor != batch.batch.center
  }

  // MARK: Leaving

  /// What is under way about a pair is out of date: who asks from now on is asked for anew.
  mutating func invalidate(_ pair: PairKey) {
    guard let id = pairs[pair]?.batch, batches[id]?.isSent == true else { return }
    batches[id]?.invalidated[pair] = pairs.removeValue(forKey: pair)
  }

  /// All that is under way is out of date.
  mutating func invalidateAll() {
    for pair in Array(pairs.keys) { invalidate(pair) }
  }

  /// A caller does not want the answers about these pairs any more.
  mutating func cancel(_ caller: CallerID, of some: [PairKey], at now: Duration) -> [Action] {
    var abandoned: [Action] = []
    var gone: Set<PairKey> = []
    for pair in some {
      guard pairs[pair]?.waiters.remove(caller) == true else {
        abandoned += leaveInvalidated(pair, caller)
        continue
      }
      guard let open = pairs[pair], open.waiters.isEmpty else { continue }
      if let batch = open.batch {
        abandoned += noLongerWanted(pair, of: batch)
      } else {
        pairs[pair] = nil
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

  /// Nobody waits for a pair of a batch any more.
  private mutating func noLongerWanted(_ pair: PairKey, of id: BatchID) -> [Action] {
    batches[id]?.wanted -= 1
    guard let open = batches[id] else { return [] }
    if !open.isSent {
      // It is not asked at all.
      pairs[pair] = nil
      batches[id]?.batch.others.removeAll { PairKey(open.batch.center, $0) == pair }
    }
    guard open.wanted == 0 else { return [] }
    batches[id] = nil
    if !open.isSent {
      ready.removeAll { $0 == id }
      return []
    }
    for other in open.batch.others { _ = close(PairKey(open.batch.center, other), of: id, open) }
    underWay -= 1
    return [.abandon(id)]
  }
}
