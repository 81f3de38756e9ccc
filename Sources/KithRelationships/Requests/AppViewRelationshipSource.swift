// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
internal import KithLexicons

/// Reads relationships from an AppView with `app.bsky.graph.getRelationships`, 30 targets per call.
///
/// The answer is checked against the request: another actor, or a missing, additional or unexpected row,
/// fails the call, because a misplaced row would be a wrong answer about a person. An unreadable row fails
/// alone, and a call that the service refuses is halved until the offending target is isolated.
public struct AppViewRelationshipSource: RelationshipSource {
  /// The most `others` per call, according to the lexicon; servers answer 400 to more.
  package static let targetsPerCall = 30

  /// Limits the calls for isolating the offending targets of a refused call: enough for two of 30, and a
  /// bound on the cost of a service that refuses everything.
  private static let mostCallsAfterRefusal = 20

  /// How many targets a service that has never answered may refuse one by one until it counts as one that refuses everything.
  private static let mostRefusedAlone = 3

  /// What is known of the service: one that refuses everything is not asked about each target of each call.
  private final class Service: Sendable {
    private let state = PosixMutex((hasAnswered: false, refusesAll: false))

    var hasAnswered: Bool { state.withLock(\.hasAnswered) }
    var refusesAll: Bool { state.withLock(\.refusesAll) }

    func answered() { state.withLock { $0 = (true, false) } }
    func refused() { state.withLock { $0.refusesAll = !$0.hasAnswered } }
  }

  public let batchSize = Self.targetsPerCall
  /// `getProfiles` takes 25.
  public let existenceBatchSize = HandleResolver.batchSize

  private let client: XRPCClient
  private let statuses: AccountStatuses
  private let time: TimeSource
  private let service = Service()

  /// Creates a source that uses an AppView's client and its clock.
  ///
  /// - Parameters:
  ///   - identities: finds out whether an account is registered that the AppView does not know; nil for one
  ///     that uses the directory of the public network.
  ///   - repository: finds the server of such an account, which knows whether it was deleted; nil to rely on
  ///     the directory.
  public init(
    client: XRPCClient, identities: IdentityDirectory? = nil,
    repository: (@Sendable (_ account: DID) async throws -> XRPCClient)? = nil
  ) {
    self.client = client
    statuses = AccountStatuses(
      client: client, identities: identities ?? IdentityDirectory(client: client), repository: repository)
    time = client.time
  }

  public func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    do {
      return try await ask(actor, targets)
    } catch let error as XRPCError
      where error.refusesParameters && targets.count > 1 && !service.refusesAll
    {
      return try await askInHalves(actor, targets)
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }

  private func askInHalves(_ actor: DID, _ targets: [DID]) async throws -> [RelationshipFinding] {
    var findings: [DID: RelationshipFinding] = [:]
    var open = targets.halves
    var (calls, refusedAlone) = (0, 0)
    while let batch = open.popLast() {
      do {
        calls += 1
        for (target, finding) in zip(batch, try await ask(actor, batch)) { findings[target] = finding }
      } catch let error as XRPCError {
        if batch.count > 1, error.refusesParameters, calls < Self.mostCallsAfterRefusal {
          open += batch.halves
          continue
        }
        let fault = RelationshipError(error)
        for target in batch { findings[target] = .failed(fault) }
        if error.code == .refused {
          if batch.count == 1 { refusedAlone += 1 }
          if service.hasAnswered || refusedAlone < Self.mostRefusedAlone { continue }
          service.refused()
        }
        // The service itself is failing, or refuses everything: each further half would cost its own calls.
        for target in open.joined() { findings[target] = .failed(fault) }
        break
      } catch let error as RelationshipError where error.code != .actorNotFound {
        for target in batch { findings[target] = .failed(error) }
      }
    }
    return targets.map { findings[$0] ?? .failed(.invalidResponse) }
  }

  private func ask(_ actor: DID, _ targets: [DID]) async throws -> [RelationshipFinding] {
    typealias Method = App.Bsky.Graph.GetRelationships
    let parameters = Method.Parameters(actor: .did(actor), others: targets.map(ATIdentifier.did))
    let answer: RelationshipRows
    do {
      answer = try await client.query(Method.self, parameters, reading: RelationshipRows.self)
    } catch let error as XRPCError where error.name == Method.ErrorName.actorNotFound {
      // The lexicon's own error; reference servers never return it (Q3).
      throw RelationshipError.actorNotFound(actor)
    }
    service.answered()
    guard let answered = answer.actor else {
      // For an actor that does not exist the answer is HTTP 200 without `actor`, with every target not
      // found (Q3).
      guard answer.finds(none: targets) else {
        throw RelationshipError.invalidResponse(Method.nsid, path: "actor", "missing")
      }
      throw RelationshipError.actorNotFound(actor)
    }
    guard answered == actor else {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "actor", "\(answered) instead of \(actor)")
    }
    let rows = answer.relationships
    guard rows.count == targets.count else {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "relationships", "\(rows.count) rows for \(targets.count) targets")
    }
    let checkedAt = Datetime(at: time.instant)
    var findings: [RelationshipFinding] = []
    findings.reserveCapacity(rows.count)
    for (position, row) in rows.enumerated() {
      findings.append(
        try row.finding(of: actor, with: targets[position], at: position, checkedAt: checkedAt))
    }
    return findings
  }

  /// Which accounts exist: one call per 25 accounts, and one more for each that `getProfiles` leaves out.
  /// It also leaves out suspended and deactivated accounts (Q14), and only `getProfile` distinguishes these
  /// from accounts that the AppView does not know (Q2). Of those, the directory is asked, and the account's
  /// own server: an AppView may have missed an account that is fine.
  public func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    typealias GetProfiles = App.Bsky.Actor.GetProfiles
    var finding = ExistenceFinding(existing: [])
    for batch in accounts.parts(of: HandleResolver.batchSize) {
      do {
        let parameters = GetProfiles.Parameters(actors: batch.map(ATIdentifier.did))
        let answer = try await client.query(GetProfiles.self, parameters, reading: ProfileNames.self)
        finding.existing.formUnion(answer.profiles.map(\.did))
      } catch let error as XRPCError {
        throw RelationshipError(error)
      }
    }
    finding.existing.formIntersection(accounts)
    var failure: RelationshipError?
    for account in accounts where !finding.existing.contains(account) {
      if let failure {
        finding.faults[account] = failure
        continue
      }
      let outcome = try await statuses.outcome(of: account)
      finding.add(outcome, of: account)
      // If the service fails, each account would cost its own timeout and retries.
      if outcome.isOfFailingService { failure = finding.faults[account] }
    }
    return finding
  }
}

extension ExistenceFinding {
  fileprivate mutating func add(_ outcome: AccountStatuses.Outcome, of account: DID) {
    switch outcome.evidence.presence {
    case .shown?: existing.insert(account)
    case .hidden?:
      existing.insert(account)
      hidden.insert(account)
    case .absent?: break
    case nil: faults[account] = outcome.fault ?? .invalidResponse
    }
  }
}

extension AccountStatuses.Outcome {
  /// Whether the AppView fails, and not only for this account.
  fileprivate var isOfFailingService: Bool {
    evidence.findings.map(\.question) == [.profile]
      && (fault?.underlying as? XRPCError)?.isTransient == true
  }
}

extension XRPCError {
  /// Whether the service refuses the parameters or their length, so fewer targets may succeed.
  fileprivate var refusesParameters: Bool {
    code == .refused && status.map { [400, 413, 414, 431].contains($0) } == true
  }
}

extension RelationshipRows.Row {
  /// The finding for the target requested at this position.
  ///
  /// - Throws: ``RelationshipError`` if the row is about another account.
  fileprivate func finding(
    of actor: DID, with target: DID, at position: Int, checkedAt: Datetime
  ) throws(RelationshipError) -> RelationshipFinding {
    let method = App.Bsky.Graph.GetRelationships.nsid
    // Computed only for errors, because there are thirty rows per answer.
    var place: String { "relationships[\(position)]" }
    func check(_ did: DID) throws(RelationshipError) {
      guard did == target else {
        throw .invalidResponse(method, path: "\(place).did", "\(did) instead of \(target)")
      }
    }
    switch self {
    case .nothing(let did):
      try check(did)
      return .known(RelationshipInfo(actor: actor, target: did, checkedAt: checkedAt, source: .appview))
    case .element(.relationship(let row)):
      try check(row.did)
      return .known(RelationshipInfo(row, of: actor, checkedAt: checkedAt))
    case .element(.notFoundActor(let row)):
      guard row.actor == .did(target) else {
        throw .invalidResponse(method, path: "\(place).actor", "\(row.actor) instead of \(target)")
      }
      return .notFound
    case .element(.unknown(let row)):
      return .failed(.invalidResponse(method, path: place, "unknown row type \(row.type)"))
    case .fault(let error):
      return .failed(.invalidResponse(method, DecodingFault(error)))
    }
  }
}

extension Array where Element == DID {
  fileprivate var halves: [[DID]] {
    [Array(self[..<(count / 2)]), Array(self[(count / 2)...])]
  }
}

extension RelationshipInfo {
  fileprivate init(_ row: App.Bsky.Graph.Defs.Relationship, of actor: DID, checkedAt: Datetime) {
    self.init(
      actor: actor, target: row.did, following: row.following, followedBy: row.followedBy,
      blocking: row.blocking, blockedBy: row.blockedBy, blockingByList: row.blockingByList,
      blockedByList: row.blockedByList, checkedAt: checkedAt, source: .appview)
  }
}
