// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
public import KithWriting

/// Which accounts want to be asked before they are followed, as their policies say: read while the follows are planned.
///
/// The protocol cannot enforce that; it is a courtesy.
public struct FollowApprovals: Sendable {
  /// How many accounts are asked about at most; for more, policies are not read.
  public static let mostAccounts = 25
  /// How long policies are waited for, all together.
  public static let patience: Duration = .seconds(2)

  /// What the policies say.
  public struct Terms: Sendable {
    /// The accounts that have to be asked first, in the order of the selection, and whether they take such a request.
    public fileprivate(set) var required: [(account: DID, name: String, mayBeAsked: Bool)] = []
    /// The accounts whose policies could not be read in time.
    fileprivate var unread: Set<DID> = []
  }

  private let reading: ReadOnce<Terms>

  /// - Parameter selected: the accounts to follow.
  public init(of selected: SelectedAccounts, as account: AuthorizedAccount, in workspace: Workspace) {
    reading = ReadOnce { try await Self.terms(of: selected, as: account, in: workspace) }
  }

  /// The policies of the selected accounts and what was already allowed; read once, one call each.
  ///
  /// - Throws: `RepositoryError` if the own records cannot be read; `CancellationError`.
  public func terms() async throws -> Terms { try await reading.value() }

  private static func terms(
    of selected: SelectedAccounts, as account: AuthorizedAccount, in workspace: Workspace
  ) async throws -> Terms {
    var found = Terms()
    let end = workspace.time.now + patience
    let others = selected.members.compactMap { try? $0.account.get() }.filter { $0 != account.did }
    let policies = try await others.concurrentMap(atMost: 8) { other in
      (other, try await workspace.policy(of: other, until: end))
    }
    found.unread = Set(policies.filter { $0.1 == .unknown }.map(\.0))
    let strict = policies.filter { $0.1.record?.requiresApproval == true }.map(\.0)
    guard !strict.isEmpty else { return found }
    let terms = Dictionary(policies) { first, _ in first }
    let relationships = try await workspace.relationships()
      .known(of: account.did, with: strict).found
    var allowed = Set(strict.filter { relationships[$0]?.isFollowing == true })
    for (other, friendship) in try await workspace.friendships()
      .friendships(of: account.did, with: strict)
    {
      if case .accepted = friendship.asked { allowed.insert(other) }
    }
    for member in selected.members {
      guard let other = try? member.account.get(), strict.contains(other), !allowed.contains(other) else {
        continue
      }
      let refusal = terms[other]?.record?.refusal(of: relationships[other])
      found.required.append((other, member.name, refusal == nil && relationships[other]?.blocked != true))
    }
    return found
  }

  /// Checks changes while they are planned. Where an account has to be asked first and takes requests, it is offered to
  /// send one instead.
  func check(_ prepared: inout PreparedChanges, _ preparation: ChangePreparation) {
    preparation.beside { _ = try? await terms() }
    prepared.narrowing = checked
    guard preparation.asks else { return }
    prepared.narrowing = { [prepared] planned in
      let checked = try await checked(planned)
      guard checked.refusal?.code == .approvalRequired,
        try await terms().required.contains(where: \.mayBeAsked)
      else { return checked }
      throw PreparedChanges.Revision { try await asking(prepared, preparation) }
    }
  }

  /// The changes, with a request instead of a follow where a person wants that.
  private func asking(
    _ prepared: PreparedChanges, _ preparation: ChangePreparation
  ) async throws -> PreparedChanges {
    var asked: Set<DID> = []
    for (other, name, mayBeAsked) in try await terms().required where mayBeAsked {
      if try await preparation.ask(.requestInstead(of: other, name: name)) { asked.insert(other) }
    }
    var prepared = prepared
    prepared.requests = prepared.requests.map { request in
      guard let account = try? request.change.get().followed, asked.contains(account) else { return request }
      return RequestedChange(
        request.input, .success(.friends(.request(account, FriendRequestDraft(.follow)))),
        isResolved: request.isResolved)
    }
    return prepared
  }

  /// A planned change with what was found out about the account; waits for the policies.
  ///
  /// - Throws: as ``terms()``.
  public func checked(_ planned: PlannedChange) async throws -> PlannedChange {
    guard let account = planned.change.followed, !planned.holds, planned.refusal == nil else {
      return planned
    }
    let terms = try await terms()
    if terms.required.contains(where: { $0.account == account }) { return planned.refused(.approvalRequired) }
    var planned = planned
    if terms.unread.contains(account) { planned.notes.append(.approvalNotLearned) }
    return planned
  }
}

extension Workspace {
  /// The policy of an account; unknown if its server does not tell it in one attempt and in time.
  fileprivate func policy(of account: DID, until end: Duration) async throws -> Lookup<FriendPolicy> {
    do {
      guard end > time.now else { return .unknown }
      // Finding the server takes from the same time.
      let document = try await cachedIdentities.document(of: account, within: end - time.now)
      guard let pds = document.pds else { return .unknown }
      var client = network.client(ofUntrustedHost: pds)
      let left = end - time.now
      guard left > .zero else { return .unknown }
      client.configuration.retry = RetryPolicy(attempts: 1, attemptsAtUntrustedHosts: 1, budget: left)
      client.configuration.patience = min(client.configuration.patience, left)
      client.configuration.limits.total = min(client.configuration.limits.total, left)
      let policy = try await FriendRecords(RecordReader(of: account, client: client)).policy()
      return policy.map(Lookup.found) ?? .none
    } catch let error as IdentityError where error.code == .notFound {
      return .none
    } catch {
      if RelationshipError.wrapping(error) == nil, !(error is OperationError) { throw error }
      return .unknown
    }
  }
}
