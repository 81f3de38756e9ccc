// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// The promises of the service, tested with random schedules: callers of every kind arrive, share calls and
/// leave, and calls complete in any order.
@Suite(.timeLimit(.minutes(1))) struct ServicePromisesTests {
  private static let accounts = 40
  private static let size = 4

  private static let numbers = Dictionary(uniqueKeysWithValues: (0..<accounts).map { (Accounts.did($0), $0) })

  /// Whether one account follows another: determined by their numbers.
  private static func follows(_ actor: Int, _ target: Int) -> Bool { (actor * 7 + target * 3) % 5 < 2 }

  fileprivate static func follow(from one: DID, to other: DID) -> ATURI? {
    guard let one = numbers[one], let other = numbers[other], follows(one, other) else { return nil }
    return ATURI("at://\(Accounts.did(one))/app.bsky.graph.follow/3jui7kd54zh2y")
  }

  private func service(_ source: HeldSource, concurrency: Int) throws -> FollowRelationshipService {
    let clock = ManualClock(.skipping)
    let client = XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: ScriptedTransport([]),
      time: clock.timeSource())
    return FollowRelationshipService(
      source: source, identities: IdentityDirectory(client: client), cachePolicy: .off,
      configuration: .init(concurrency: concurrency, linger: .zero), time: clock.timeSource())
  }

  /// How a caller ends.
  private enum End: CaseIterable {
    case whole
    /// Its task is cancelled at some time.
    case cancelled
    /// It releases the iterator after some answers.
    case letGo
  }

  @Test(arguments: CaseSample.of(0..<150, one: 5)) func everyCallerIsAnsweredInOrderRegardlessOfOthers(
    seed: UInt64
  ) async throws {
    var generator = SeededGenerator(seed: seed)
    let concurrency = Int.random(in: 1...4, using: &generator)
    // A cancelled call may still exist when the next one begins.
    let staysWhole = seed.isMultiple(of: 3)
    let source = HeldSource(size: Self.size, seed: seed)
    let service = try service(source, concurrency: concurrency)
    var callers: [(task: Task<Void, Never>, end: End)] = []
    let ended = Watched(0)
    for _ in 0..<Int.random(in: 1...12, using: &generator) {
      let actor = Int.random(in: 0..<Self.accounts, using: &generator)
      let targets = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
        Int.random(in: 0..<Self.accounts, using: &generator)
      }
      let isSingle = Bool.random(using: &generator)
      let end = staysWhole ? .whole : End.allCases.randomElement(using: &generator) ?? .whole
      let most = end == .letGo ? Int.random(in: 0..<targets.count, using: &generator) : .max
      let task = Task {
        defer { ended.withLock { $0 += 1 } }
        do {
          if isSingle {
            try await askOne(service, actor, targets[0])
          } else {
            try await askAll(service, actor, targets, atMost: most)
          }
        } catch {
          if !(error is CancellationError) || end != .cancelled { Issue.record("\(error), seed \(seed)") }
        }
      }
      callers.append((task, end))
    }
    let all = callers.count
    while ended.withLock({ $0 }) < all {
      let open = callers.indices.filter { callers[$0].end == .cancelled && !callers[$0].task.isCancelled }
      if let one = open.randomElement(using: &generator), Int.random(in: 0..<4, using: &generator) == 0 {
        callers[one].task.cancel()
      }
      try Task.checkCancellation()
      if !source.release() { await Task.yield() }
    }
    for caller in callers { await caller.task.value }
    // Calls without waiters end too.
    try await source.keepReleasing { source.state.withLock { $0.inside } == 0 }
    // Nothing is left that would be included in a later call.
    let stranger = Accounts.did(1_000)
    for actor in 0..<Self.accounts {
      let ended = Watched(false)
      let last = Task {
        defer { ended.withLock { $0 = true } }
        for try await _ in service.relationships(of: Accounts.did(actor), with: [stranger]) {}
      }
      try await source.keepReleasing { ended.withLock { $0 } }
      try await last.value
    }
    source.state.withLock { state in
      let last = state.calls.filter { $0.contains(stranger) }
      #expect(last == Array(repeating: [stranger], count: Self.accounts), "seed \(seed)")
      #expect(!staysWhole || state.peak <= concurrency, "seed \(seed)")
      #expect(!staysWhole || state.shared == 0, "a pair was asked about twice at once, seed \(seed)")
      #expect(state.calls.allSatisfy { (1...Self.size).contains($0.count) }, "seed \(seed)")
    }
  }

  private func askOne(_ service: FollowRelationshipService, _ actor: Int, _ target: Int) async throws {
    let info = try await service.getRelationship(actor: Accounts.did(actor), target: Accounts.did(target))
    #expect(info.target == Accounts.did(target))
    #expect(info.isFollowing == (actor != target && Self.follows(actor, target)))
  }

  private func askAll(
    _ service: FollowRelationshipService, _ actor: Int, _ targets: [Int], atMost most: Int
  ) async throws {
    var answered = 0
    var answers = service.relationships(of: Accounts.did(actor), with: targets.map(Accounts.did))
      .makeAsyncIterator()
    while answered < most, let answer = try await answers.next() {
      let target = targets[answered]
      #expect(answer.target == Accounts.did(target))
      #expect(
        target == actor
          ? answer.state == .itself : answer.info?.isFollowing == Self.follows(actor, target))
      answered += 1
    }
    #expect(answered == min(most, targets.count))
  }

  /// A sequence alone costs one call per full batch of distinct targets, and one for the rest.
  @Test(arguments: 0..<20) func aSequenceCostsTheFewestCalls(seed: UInt64) async throws {
    var generator = SeededGenerator(seed: seed)
    // Within a window of 2 x 4 x 4 targets, so that duplicates coincide.
    let targets = (0..<Int.random(in: 0...32, using: &generator)).map { _ in
      Int.random(in: 0..<Self.accounts, using: &generator)
    }
    let source = HeldSource(size: Self.size, seed: seed)
    let service = try service(source, concurrency: 4)
    let task = Task { try await askAll(service, 0, targets, atMost: .max) }
    let isOver = Watched(false)
    Task {
      _ = await task.result
      isOver.withLock { $0 = true }
    }
    try await source.keepReleasing { isOver.withLock { $0 } }
    try await task.value
    let different = Set(targets).subtracting([0]).count
    #expect(source.state.withLock { $0.calls.count } == (different + Self.size - 1) / Self.size, "\(targets)")
  }

  /// Holds every call until it is released, in any order.
  private final class HeldSource: RelationshipSource {
    struct State {
      var held: [CheckedContinuation<Void, Never>] = []
      var generator: SeededGenerator
      /// Calls that have not returned.
      var inside = 0
      /// The pairs of those calls that are not cancelled.
      var wanted: [Int: Set<PairKey>] = [:]
      /// The highest number of wanted calls at a time.
      var peak = 0
      /// How often a pair was requested while it was in progress.
      var shared = 0
      /// The targets of all calls.
      var calls: [[DID]] = []
    }

    let batchSize: Int
    let existenceBatchSize = 25
    let state: Watched<State>

    init(size: Int, seed: UInt64) {
      batchSize = size
      state = Watched(State(generator: SeededGenerator(seed: seed)))
    }

    /// Releases one call; returns false if none is held.
    func release() -> Bool {
      let one = state.withLock { state -> CheckedContinuation<Void, Never>? in
        guard let position = state.held.indices.randomElement(using: &state.generator) else { return nil }
        return state.held.remove(at: position)
      }
      one?.resume()
      return one != nil
    }

    /// Releases calls until a condition holds.
    ///
    /// - Throws: `CancellationError` at the time limit of the suite.
    func keepReleasing(until holds: () -> Bool) async throws {
      while !holds() {
        try Task.checkCancellation()
        if !release() { await Task.yield() }
      }
    }

    func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
      let pairs = Set(targets.map { PairKey(actor, $0) })
      let number = state.withLock { state in
        state.calls.append(targets)
        state.shared += state.wanted.values.reduce(0) { $0 + $1.intersection(pairs).count }
        state.inside += 1
        state.wanted[state.calls.count] = pairs
        state.peak = max(state.peak, state.wanted.count)
        return state.calls.count
      }
      // In any case it is wanted no longer than until its cancellation.
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in state.withLock { $0.held.append(continuation) } }
        state.withLock { state in
          state.inside -= 1
          state.wanted[number] = nil
        }
      } onCancel: {
        state.withLock { $0.wanted[number] = nil }
      }
      try Task.checkCancellation()
      return targets.map { target in
        .known(
          RelationshipInfo(
            actor: actor, target: target, following: ServicePromisesTests.follow(from: actor, to: target),
            followedBy: ServicePromisesTests.follow(from: target, to: actor),
            checkedAt: Datetime(at: 0), source: .appview))
      }
    }

    func existing(among accounts: [DID]) async throws -> ExistenceFinding {
      ExistenceFinding(existing: Set(accounts))
    }
  }
}
