// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// Learns relationships from an AppView by `app.bsky.graph.getRelationships`, 30 targets a call.
///
/// The answer is held against the question: an actor that was not asked for, a row that is missing, added
/// or of somebody else is an error, for a row in the wrong place would be a wrong answer about a person.
public struct AppViewRelationshipSource: RelationshipSource {
  /// The most `others` of one call, by the lexicon; a server answers 400 to more.
  public let batchSize = 30

  private let client: XRPCClient
  private let time: TimeSource

  /// Asks the client's service, and dates the answers by the client's clock.
  public init(client: XRPCClient) {
    self.client = client
    time = client.time
  }

  public func relationships(of actor: DID, with targets: [DID]) async throws -> [DID: RelationshipFinding] {
    typealias Method = App.Bsky.Graph.GetRelationships
    let parameters = Method.Parameters(actor: .did(actor), others: targets.map(ATIdentifier.did))
    let output = try await translatingErrors {
      do {
        return try await client.query(Method.self, parameters)
      } catch let error as XRPCError where error.saysNotFound {
        // The lexicon's own way to say so; reference servers never do (Q3).
        throw RelationshipError.actorNotFound(actor)
      }
    }
    guard let answered = output.actor else {
      // An actor that nobody is comes back as HTTP 200 without `actor`, every target not found (Q3).
      guard output.relationships.allSatisfy(\.isNotFound) else {
        throw RelationshipError.invalidResponse(Method.nsid, path: "actor", "it is missing")
      }
      throw RelationshipError.actorNotFound(actor)
    }
    guard answered == actor else {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "actor", "it is \(answered), asked was \(actor)")
    }
    let rows = output.relationships
    guard rows.count == targets.count else {
      throw RelationshipError.invalidResponse(
        Method.nsid, path: "relationships", "\(rows.count) rows for \(targets.count) targets")
    }
    let checkedAt = Datetime(microsecondsSinceEpoch: time.microsecondsSinceEpoch)
    var findings: [DID: RelationshipFinding] = [:]
    findings.reserveCapacity(rows.count)
    for (position, row) in rows.enumerated() {
      let target = targets[position]
      switch row {
      case .relationship(let row):
        guard row.did == target else {
          throw RelationshipError.invalidResponse(
            Method.nsid, path: "relationships[\(position)].did", "it is \(row.did), asked was \(target)")
        }
        findings[target] = .known(RelationshipInfo(row, of: actor, checkedAt: checkedAt))
      case .notFoundActor(let row):
        guard row.actor == .did(target) else {
          throw RelationshipError.invalidResponse(
            Method.nsid, path: "relationships[\(position)].actor", "it is \(row.actor), asked was \(target)")
        }
        findings[target] = .notFound
      case .unknown(let row):
        throw RelationshipError.invalidResponse(
          Method.nsid, path: "relationships[\(position)]", "a row of the unknown type \(row.type)")
      }
    }
    return findings
  }

  /// One call for every 25 accounts, and one more for each that `getProfiles` leaves out: it does so with
  /// suspended and deactivated accounts too (Q14), and only `getProfile` tells them from nobody (Q2).
  public func existing(among accounts: [DID]) async throws -> Set<DID> {
    typealias Batch = App.Bsky.Actor.GetProfiles
    typealias Single = App.Bsky.Actor.GetProfile
    var found: Set<DID> = []
    for start in stride(from: 0, to: accounts.count, by: HandleResolver.batchSize) {
      let batch = accounts[start..<min(start + HandleResolver.batchSize, accounts.count)]
      let output = try await translatingErrors {
        try await client.query(Batch.self, Batch.Parameters(actors: batch.map(ATIdentifier.did)))
      }
      found.formUnion(output.profiles.map(\.did))
    }
    for account in accounts where !found.contains(account) {
      do {
        _ = try await client.query(Single.self, Single.Parameters(actor: .did(account)))
        found.insert(account)
      } catch let error as XRPCError where error.saysNotFound {
        continue
      } catch let error as XRPCError where error.saysHidden {
        found.insert(account)
      } catch let error as XRPCError {
        throw RelationshipError(error)
      }
    }
    return found.intersection(accounts)
  }

  private func translatingErrors<Output>(_ body: () async throws -> Output) async throws -> Output {
    do { return try await body() } catch let error as XRPCError { throw RelationshipError(error) }
  }
}

extension XRPCError {
  /// Whether an account exists but is not shown: `AccountTakedown`, `AccountDeactivated` (Q2). The lexicon of
  /// `getProfile` names none of these, so that others of the kind may come.
  fileprivate var saysHidden: Bool {
    code == .refused && name?.rawValue.hasPrefix("Account") == true
  }
}

extension App.Bsky.Graph.GetRelationships.Output.RelationshipsElement {
  fileprivate var isNotFound: Bool {
    if case .notFoundActor = self { true } else { false }
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
