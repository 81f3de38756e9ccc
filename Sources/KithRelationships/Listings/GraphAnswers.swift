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
    case .absent: break
    case .unseen: isUnseen = true
    case .tooLong: return failed(answer, .invalidResponse)
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

extension RecordReader {
  private static let gate = NSID(generated: "sh.weaver.graph.followGate")
  private static let acceptance = NSID(generated: "sh.weaver.graph.followAccept")

  /// The record that makes follows on Weaver requests; nil if they need no approval.
  ///
  /// - Throws: ``RepositoryError``, `CancellationError`.
  func weaverGate() async throws -> DataValue? {
    let gate = try await record(.literalSelf, in: Self.gate)
    return gate?["requireApproval"]?.bool == true ? gate : nil
  }

  /// The follows on Weaver that the account has accepted; nil for a record that names none.
  func weaverAcceptances() -> PagedSequence<(uri: String, cid: String?)?> {
    rows(in: Self.acceptance, reading: DataValue.self) { row in
      let follow = row.content?["follow"]
      return follow?["uri"]?.string.map { ($0, follow?["cid"]?.string) }
    }
  }
}

extension Listings {
  /// Whether an account on Weaver lets a follow of it count: it approves no followers, or has accepted this version of
  /// the record.
  ///
  /// - Throws: ``RepositoryError``, `IdentityError`, `CancellationError`.
  fileprivate func isAccepted(_ record: ATURI, since: Datetime?, by subject: DID) async throws -> Bool {
    let repository = try await reader(of: subject)
    guard let gate = try await repository.weaverGate() else { return true }
    if gate["invalidatePrior"]?.bool != true, let since, let opened = gate["createdAt"]?.string,
      let opened = Datetime(opened), since.instant < opened.instant
    {
      return true
    }
    guard case .did(let follower) = record.authority,
      let version = try await RecordVersion.read(record, client: try await reader(of: follower).client)
    else { return false }
    for try await case let follow? in repository.weaverAcceptances()
    where follow.uri == record.description && follow.cid == version.cid.description { return true }
    return false
  }
}
