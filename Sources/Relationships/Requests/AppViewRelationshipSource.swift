// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// Learns relationships from an AppView by `app.bsky.graph.getRelationships`, 30 targets a call.
///
/// The answer is held against the question: an actor that was not asked for, a row that is missing, added
/// or of somebody else fails the call, for a row in the wrong place would be a wrong answer about a person.
/// A row that cannot be read fails alone, and a call that the service refuses is halved until the target that
/// it dislikes stands alone.
public struct AppViewRelationshipSource: RelationshipSource {
  /// The most `others` of one call, by the lexicon; a server answers 400 to more.
  public static let targetsPerCall = 30

  /// Calls that may be spent on finding out which targets of a refused call are at fault: enough for two of
  /// 30, and a bound on what a service that refuses everything can cost.
  private static let mostCallsAfterRefusal = 20

  public let batchSize = Self.targetsPerCall
  /// `getProfiles` takes 25.
  public let existenceBatchSize = HandleResolver.batchSize

  private let client: XRPCClient
  private let time: TimeSource

  /// Asks the client's service, and dates the answers by the client's clock.
  public init(client: XRPCClient) {
    self.client = client
    time = client.time
  }

  public func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    do {
      return try await ask(actor, targets)
    } catch let error as XRPCError where error.refusesParameters && targets.count > 1 {
      return try await askInHalves(actor, targets)
    } catch let error as XRPCError {
      throw RelationshipError(error)
    }
  }

  private func askInHalves(_ actor: DID, _ targets: [DID]) async throws -> [RelationshipFinding] {
    var findings: [DID: RelationshipFinding] = [:]
    var open = targets.halves
    var calls = 0
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
        guard error.code != .refused else { continue }
        // The service itself fails now: asking on would cost each half its own time and retries.
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
      // The lexicon's own way to say so; reference servers never do (Q3).
      throw RelationshipError.actorNotFound(actor)
    }
    guard let answered = answer.actor else {
      // An actor that nobody is comes back as HTTP 200 without `actor`, every target not found (Q3).
      guard answer.finds(none: targets) else {
        throw RelationshipError.invalidResponse(Method.nsid, path: "actor", "it is missing")
      }
      throw RelationshipError.actorNotFound(actor)
    }
    guard answered == actor else {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "actor", "it is \(answered), asked was \(actor)")
    }
    let rows = answer.relationships
    guard rows.count == targets.count else {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "relationships", "\(rows.count) rows for \(targets.count) targets")
    }
    let checkedAt = Datetime(microsecondsSinceEpoch: time.microsecondsSinceEpoch)
    var findings: [RelationshipFinding] = []
    findings.reserveCapacity(rows.count)
    for (position, row) in rows.enumerated() {
      findings.append(
        try row.finding(of: actor, with: targets[position], at: position, checkedAt: checkedAt))
    }
    return findings
  }

  /// One call for every 25 accounts, and one more for each that `getProfiles` leaves out: it does so with
  /// suspended and deactivated accounts too (Q14), and only `getProfile` tells them from nobody (Q2).
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
      do {
        if try await exists(account) { finding.existing.insert(account) }
      } catch let error as XRPCError {
        finding.faults[account] = RelationshipError(error)
        // A service that fails or refuses all would cost each account its own time and retries.
        if error.isTransient { failure = RelationshipError(error) }
      } catch let error as RelationshipError {
        finding.faults[account] = error
      }
    }
    return finding
  }

  private func exists(_ account: DID) async throws -> Bool {
    typealias Single = App.Bsky.Actor.GetProfile
    do {
      let profile = try await client.query(
        Single.self, Single.Parameters(actor: .did(account)), reading: ProfileNames.Profile.self)
      guard profile.did == account else {
        throw RelationshipError.invalidResponse(
          Single.nsid, path: "did", "it is \(profile.did), asked was \(account)")
      }
      return true
    } catch let error as XRPCError where error.saysNotFound {
      return false
    } catch let error as XRPCError where error.saysHidden {
      return true
    }
  }
}

extension XRPCError {
  /// Whether the service dislikes what it was asked, or the length of it, so that fewer targets may pass.
  fileprivate var refusesParameters: Bool {
    code == .refused && status.map { [400, 413, 414, 431].contains($0) } == true
  }
}

extension RelationshipRows.Row {
  /// What the row says of the target that was asked for in its place.
  ///
  /// - Throws: ``RelationshipError`` when it is the row of somebody else.
  fileprivate func finding(
    of actor: DID, with target: DID, at position: Int, checkedAt: Datetime
  ) throws(RelationshipError) -> RelationshipFinding {
    let method = App.Bsky.Graph.GetRelationships.nsid
    // Spelled for errors alone: there are thirty rows in an answer.
    var place: String { "relationships[\(position)]" }
    func check(_ did: DID) throws(RelationshipError) {
      guard did == target else {
        throw .invalidResponse(method, path: "\(place).did", "it is \(did), asked was \(target)")
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
        throw .invalidResponse(method, path: "\(place).actor", "it is \(row.actor), asked was \(target)")
      }
      return .notFound
    case .element(.unknown(let row)):
      return .failed(.invalidResponse(method, path: place, "a row of the unknown type \(row.type)"))
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
