// SPDX-License-Identifier: Apache-2.0

internal import KithClient
public import KithCore
public import KithRelationships

/// A source whose relationships a test sets, and which records its queries.
///
/// ```swift
/// import KithTestSupport
///
/// let source = ScriptedSource(follows: [alice: bob])
/// let service = FollowRelationshipService(source: source)
/// show(try await service.isFollowing(actor: alice, target: bob), source.calls)
/// source.setFollow(false, of: alice, to: bob)
/// source.fail(.networkError(CancellationError()))
/// ```
///
/// All accounts exist, and pairs that were not set have no edges. A relationship is known from both ends.
public final class ScriptedSource: RelationshipSource {
  package typealias Asked = @Sendable (_ actor: DID, _ targets: [DID]) throws -> [DID: RelationshipFinding]

  public let batchSize: Int
  public let existenceBatchSize = 25
  /// Holds queries back while it is closed.
  public let turnstile: Turnstile
  /// The accounts being asked about behind the turnstile.
  private let free: Set<DID>
  private let script: PosixMutex<Script>
  private let answer: Asked
  private let existing: @Sendable ([DID]) throws -> ExistenceFinding
  private let questions = Watched<[[DID]]>([])
  private let verifications = PosixMutex<[[DID]]>([])

  /// Creates a source that knows some follows.
  ///
  /// - Parameters:
  ///   - follows: actors with those that they follow: `[alice: bob]` if Alice follows Bob.
  ///   - batchSize: the most targets per query.
  ///   - turnstile: holds queries back while it is closed.
  public convenience init(
    follows: KeyValuePairs<DID, DID>, batchSize: Int = 30, turnstile: Turnstile = Turnstile()
  ) {
    let script = PosixMutex(Script())
    for (actor, target) in follows { script.withLock { $0.setFollow(true, of: actor, to: target) } }
    self.init(
      script, batchSize: batchSize, turnstile: turnstile, free: [],
      { actor, targets in try script.withLock { try $0.findings(of: actor, with: targets) } },
      existing: { asked in try script.withLock { try $0.existing(among: asked) } })
  }

  /// Creates a source that responds with functions.
  package convenience init(
    batchSize: Int = 30, turnstile: Turnstile = Turnstile(), free: Set<DID> = [],
    _ answer: @escaping Asked = { actor, targets in ScriptedSource.follows(actor, targets) { _ in true } },
    existing: @escaping @Sendable ([DID]) throws -> Set<DID> = { Set($0) },
    unverifiable: [DID: RelationshipError] = [:]
  ) {
    self.init(
      PosixMutex(Script()), batchSize: batchSize, turnstile: turnstile, free: free, answer,
      existing: { asked in
        ExistenceFinding(
          existing: try existing(asked).subtracting(unverifiable.keys),
          faults: unverifiable.filter { asked.contains($0.key) })
      })
  }

  private init(
    _ script: PosixMutex<Script>, batchSize: Int, turnstile: Turnstile, free: Set<DID>,
    _ answer: @escaping Asked, existing: @escaping @Sendable ([DID]) throws -> ExistenceFinding
  ) {
    self.script = script
    self.batchSize = batchSize
    self.turnstile = turnstile
    self.free = free
    self.answer = answer
    self.existing = existing
  }

  deinit { isGone.withLock { $0 = true } }

  // MARK: The script

  /// Sets the relationship of two accounts, which is also known from the target's end.
  public func set(_ relationship: RelationshipInfo) { script.withLock { $0.set(relationship) } }

  /// Sets whether an account follows another; the other edges stay.
  public func setFollow(_ follows: Bool, of actor: DID, to target: DID) {
    script.withLock { $0.setFollow(follows, of: actor, to: target) }
  }

  /// Makes accounts nonexistent.
  public func remove(_ accounts: DID...) { script.withLock { $0.missing.formUnion(accounts) } }

  /// Makes all queries fail from now on; nil lets them succeed again.
  public func fail(_ error: RelationshipError?) { script.withLock { $0.fault = error } }

  /// Makes lookups of one account fail from now on, and those of the others in the same query succeed; nil lets them
  /// succeed again.
  public func fail(_ error: RelationshipError?, about account: DID) {
    script.withLock { $0.faults[account] = error }
  }

  // MARK: What was asked

  /// The number of queries about relationships.
  public var calls: Int { asked.count }
  /// The targets of all queries about relationships, in order.
  public var asked: [[DID]] { questions.withLock { $0 } }
  /// Waits until there were this many queries about relationships.
  public func untilAsked(_ count: Int) async { await questions.until { $0.count >= count } }
  /// The accounts of all queries about existence, in order.
  public var verified: [[DID]] { verifications.withLock { $0 } }
  /// True once the source is deallocated.
  package let isGone = Watched(false)

  public func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    questions.withLock { $0.append(targets) }
    let findings =
      free.isSuperset(of: targets)
      ? try answer(actor, targets) : try await turnstile.pass { try answer(actor, targets) }
    return targets.map { findings[$0] ?? .failed(.invalidResponse) }
  }

  public func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    verifications.withLock { $0.append(accounts) }
    return try await turnstile.pass { try existing(accounts) }
  }

  /// Returns a finding for each target: the actor follows those that are picked.
  package static func follows(
    _ actor: DID, _ targets: [DID], where isFollowed: (DID) -> Bool
  ) -> [DID: RelationshipFinding] {
    var findings: [DID: RelationshipFinding] = [:]
    for target in targets {
      findings[target] = .known(.made(actor: actor, target: target, follows: isFollowed(target)))
    }
    return findings
  }
}

extension ScriptedSource {
  /// What a test has set.
  private struct Script: Sendable {
    private struct Pair: Hashable {
      let actor: DID
      let target: DID
    }

    /// Each relationship is there twice, from either end.
    private var known: [Pair: RelationshipInfo] = [:]
    var missing: Set<DID> = []
    var fault: RelationshipError?
    var faults: [DID: RelationshipError] = [:]

    mutating func set(_ info: RelationshipInfo) {
      known[Pair(actor: info.actor, target: info.target)] = info
      known[Pair(actor: info.target, target: info.actor)] = info.swapped
    }

    mutating func setFollow(_ follows: Bool, of actor: DID, to target: DID) {
      let edge = RelationshipInfo.made(actor: actor, target: target, follows: follows).following
      set(relationship(of: actor, with: target).with(following: edge))
    }

    private func relationship(of actor: DID, with target: DID) -> RelationshipInfo {
      known[Pair(actor: actor, target: target)] ?? .made(actor: actor, target: target, follows: false)
    }

    func findings(of actor: DID, with targets: [DID]) throws -> [DID: RelationshipFinding] {
      if let fault = fault ?? faults[actor] { throw fault }
      if missing.contains(actor) { throw RelationshipError.actorNotFound(actor) }
      var findings: [DID: RelationshipFinding] = [:]
      for target in targets {
        findings[target] =
          if let fault = faults[target] {
            .failed(fault)
          } else if missing.contains(target) {
            .notFound
          } else {
            .known(relationship(of: actor, with: target))
          }
      }
      return findings
    }

    func existing(among accounts: [DID]) throws -> ExistenceFinding {
      if let fault { throw fault }
      return ExistenceFinding(
        existing: Set(accounts).subtracting(missing).subtracting(faults.keys),
        faults: faults.filter { accounts.contains($0.key) })
    }
  }
}

extension RelationshipInfo {
  /// An AppView response about one follow.
  package static func made(
    actor: DID, target: DID, follows: Bool, key: String = "3jui7kd54zh2y"
  ) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target,
      following: follows ? ATURI("at://\(actor)/app.bsky.graph.follow/\(key)") : nil,
      checkedAt: Datetime(at: .epoch), source: .appview)
  }

  /// The same facts with another follow of the actor.
  fileprivate func with(following: ATURI?) -> RelationshipInfo {
    RelationshipInfo(
      actor: actor, target: target, following: following, followedBy: followedBy, blocking: blocking,
      blockedBy: blockedBy, blockingByList: blockingByList, blockedByList: blockedByList, muted: muted,
      checkedAt: checkedAt, source: source)
  }
}
