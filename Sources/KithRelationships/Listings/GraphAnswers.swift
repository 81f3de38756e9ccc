// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore

/// Answers about pairs of accounts in the graph of another app, from the records of their repositories.
///
/// The actor's follows are read once. Those of the others are read until one points to the actor. In ``FollowGraph/weaver``
/// a follow of an account that approves its followers counts once the account has accepted this very record; until then
/// it is a request.
package actor GraphAnswers {
  private let graph: FollowGraph
  private let owner: DID
  private let listings: Listings
  private let follows: ReadOnce<GraphFollows>
  /// How many records were found that are requests, because the account that they point to has not accepted them.
  package private(set) var requests = 0

  package init(about owner: DID, in graph: FollowGraph, by listings: Listings) {
    (self.owner, self.graph, self.listings) = (owner, graph, listings)
    follows = ReadOnce { try await GraphFollows(graph, by: try await listings.reader(of: owner)) }
  }

  /// The same answer about the follows in this graph; an answer without a relationship stays as it is.
  ///
  /// - Throws: what reading the actor's own repository throws; `CancellationError`.
  package func answer(like answer: RelationshipAnswer, at moment: Datetime) async throws -> RelationshipAnswer
  {
    guard let target = answer.target, case .known = answer.state else { return answer }
    let following = try await follows.value().accounts[target]
    let back = try await listings.follow(from: target, to: owner, in: graph)
    var (followedBy, isUnseen): (AccountView?, Bool) = (nil, false)
    switch back {
    case .found(let view): followedBy = view
    case .none: break
    case .unseen: isUnseen = true
    case .failed(let error): return failed(answer, error)
    }
    do {
      let info = RelationshipInfo(
        actor: owner, target: target, following: try await active(following, towards: target),
        followedBy: try await active(followedBy, towards: owner), checkedAt: moment, source: .repository)
      return RelationshipAnswer(
        input: answer.input, target: target, state: .known(info), presence: isUnseen ? .hidden : .shown,
        view: answer.view)
    } catch {
      guard let fault = RelationshipError.wrapping(error) else { throw error }
      return failed(answer, fault)
    }
  }

  private func failed(_ answer: RelationshipAnswer, _ error: RelationshipError) -> RelationshipAnswer {
    RelationshipAnswer(
      input: answer.input, target: answer.target, state: .failed(error), presence: answer.presence,
      view: answer.view)
  }

  /// The record of a follow; nil if there is none, or if it is a request.
  private func active(_ follow: AccountView?, towards subject: DID) async throws -> ATURI? {
    guard let follow, let record = follow.record else { return nil }
    if graph != .weaver { return record }
    if try await listings.isAccepted(record, since: follow.since, by: subject) { return record }
    requests += 1
    return nil
  }
}

extension Listings {
  private static let gate = NSID(generated: "sh.weaver.graph.followGate")
  private static let acceptance = NSID(generated: "sh.weaver.graph.followAccept")
  /// How many follows of an account on Weaver are looked at.
  private static let mostWeaverFollows = 500

  /// Whether an account wants to be asked before it is followed on Weaver.
  ///
  /// - Throws: ``RepositoryError``, `IdentityError`, `CancellationError`.
  func approvesFollowersOnWeaver(_ account: DID) async throws -> Bool {
    let gate = try await reader(of: account).record(.literalSelf, in: Self.gate)
    return gate?["requireApproval"]?.bool == true
  }

  /// How many follows of an account on Weaver wait for its approval, as far as the index knows; 0 if it approves
  /// nobody.
  ///
  /// - Throws: ``RelationshipError``, ``RepositoryError``, `CancellationError`.
  func followsAwaitingApprovalOnWeaver(of account: DID) async throws -> Int {
    guard let index, try await approvesFollowersOnWeaver(account) else { return 0 }
    var accepted: Set<String> = []
    for try await value in try await reader(of: account).rows(
      in: Self.acceptance, reading: DataValue.self, { $0.content })
    {
      if let uri = value?["follow"]?["uri"]?.string { accepted.insert(uri) }
    }
    var waiting = 0
    var looked = 0
    for try await link in index.links(
      from: BacklinkIndex.Source(FollowGraph.weaver.kind), to: { account.description }, { $0 })
    {
      if looked == Self.mostWeaverFollows { break }
      looked += 1
      if let record = link.record, !accepted.contains(record.description) { waiting += 1 }
    }
    return waiting
  }

  /// Whether an account on Weaver lets a follow of it count: it approves no followers, or has accepted this version of
  /// the record.
  ///
  /// - Throws: ``RepositoryError``, `IdentityError`, `CancellationError`.
  fileprivate func isAccepted(_ record: ATURI, since: Datetime?, by subject: DID) async throws -> Bool {
    let repository = try await reader(of: subject)
    guard let gate = try await repository.record(.literalSelf, in: Self.gate),
      gate["requireApproval"]?.bool == true
    else { return true }
    if gate["invalidatePrior"]?.bool != true, let since, let opened = gate["createdAt"]?.string,
      let opened = Datetime(opened), since.instant < opened.instant
    {
      return true
    }
    guard case .did(let follower) = record.authority,
      let version = try await RecordVersion.read(record, client: try await reader(of: follower).client)
    else { return false }
    let acceptances = repository.rows(in: Self.acceptance, reading: DataValue.self) { $0.content }
    for try await case let value? in acceptances
    where value["follow"]?["uri"]?.string == record.description
      && value["follow"]?["cid"]?.string == version.cid.description
    {
      return true
    }
    return false
  }
}
