// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons
public import KithRelationships

/// The services that are notified of what an account's changes did: relationship answers, `changes`, and
/// profile counts.
public struct ChangeObservers: Sendable {
  private let account: DID?
  let service: FollowRelationshipService?
  let profiles: ProfileService?
  /// That of the service comes first; one that both share is there once.
  private let overlays: [OptimisticOverlay]

  /// Creates observers that ignore everything.
  public init() { (account, service, profiles, overlays) = (nil, nil, nil, []) }

  /// Creates observers from the services of an app that changes the relationships of an account. Services that share
  /// an `OptimisticOverlay` show the same.
  ///
  /// - Parameter profiles: ignored if it belongs to another account, because its counts do not move with
  ///   these changes.
  public init(account: DID, relationships service: FollowRelationshipService?, profiles: ProfileService?) {
    self.account = account
    self.service = service
    let profiles = profiles?.account == account ? profiles : nil
    self.profiles = profiles
    overlays = [service?.overlay, profiles?.overlay].compactMap(\.self).reduce(into: []) { all, overlay in
      if !all.contains(where: { $0 === overlay }) { all.append(overlay) }
    }
  }

  /// Creates observers that tell all services that use an overlay, now or later.
  package init(account: DID, overlay: OptimisticOverlay) {
    (self.account, service, profiles, overlays) = (account, nil, nil, [overlay])
  }

  /// Shows steps that the server has accepted from now on, and notifies listeners.
  func didApply(_ steps: [ChangeStep]) {
    guard let account, !overlays.isEmpty else { return }
    for other in show(steps) { overlays.first?.applyLocalChange(account, other) }
    // Whether it mutes or blocks its members is in the answers about all of them.
    if steps.contains(where: \.concernsMembers) { overlays.first?.clearCaches() }
  }

  /// Shows what was found to hold without a change, and notifies listeners.
  ///
  /// - Parameter moment: when the facts were read.
  func found(_ changes: some Sequence<(change: ChangeIntent, facts: SubjectFacts)>, at moment: Instant) {
    guard let account, !overlays.isEmpty else { return }
    for (change, facts) in changes {
      guard let other = change.account else { continue }
      func edge(_ kind: EdgeKind) -> OptimisticOverlay.Edge? {
        guard change.needs.contains(.edges(kind)), let records = facts.edges[kind] else { return nil }
        return records.first.map {
          .present(ATURI(authority: .did(account), collection: kind.collection, recordKey: $0.rkey))
        } ?? .unrecorded(at: moment)
      }
      let held = OptimisticOverlay.Expected(following: edge(.follow), blocking: edge(.block))
      hold(held, of: account, about: other)
    }
  }

  /// Shows steps that were left out because what they do holds already, and notifies listeners.
  func didLeave(_ steps: [ChangeStep]) {
    guard let account, !overlays.isEmpty else { return }
    for step in steps {
      guard case .account(let other) = step.subject else { continue }
      func edge(_ collection: NSID) -> OptimisticOverlay.Edge? {
        let writes = step.writes.filter { $0.collection == collection }
        // Another record may express the edge.
        if let made = writes.first(where: \.makesRecord) {
          return .present(ATURI(authority: .did(account), collection: collection, recordKey: made.rkey))
        }
        return writes.isEmpty ? nil : .gone(Set(writes.map(\.rkey)))
      }
      hold(.init(following: edge(.follow), blocking: edge(.block)), of: account, about: other)
    }
  }

  private func hold(_ held: OptimisticOverlay.Expected, of account: DID, about other: DID) {
    // A pending tap shows what it wants, and what holds once it has ended.
    if held.isEmpty || overlays.first?.isPending(of: account, about: other) == true { return }
    hold(held, .edges, about: other)
    overlays.first?.applyLocalChange(account, other)
  }

  // MARK: Expectations

  /// Adds an intent, replacing the earlier one of its kind.
  ///
  /// - Returns: what is no longer pending and was shown by the service.
  func setPending(
    _ pending: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about other: DID
  ) -> OptimisticOverlay.RolledBackIntent? {
    expect { $0.setPending(pending, kind, of: $1, about: other) }
  }

  /// Ends the intent of a kind.
  ///
  /// - Returns: what is no longer pending and was shown by the service.
  func endPending(_ kind: OptimisticOverlay.Kind, about other: DID) -> OptimisticOverlay.RolledBackIntent? {
    expect { $0.refuse(kind, of: $1, about: other) }
  }

  /// Expects what the server has accepted.
  func confirm(_ taken: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about other: DID) {
    _ = expect { $0.confirm(taken, kind, of: $1, about: other) }
  }

  /// Expects what was found to hold without a change.
  func hold(_ held: OptimisticOverlay.Expected, _ kind: OptimisticOverlay.Kind, about other: DID) {
    _ = expect { $0.hold(held, kind, of: $1, about: other) }
  }

  /// Tells every overlay; returns what the first one answers.
  private func expect<Answer>(_ tell: (OptimisticOverlay, DID) -> Answer?) -> Answer? {
    guard let account else { return nil }
    return overlays.map { tell($0, account) }.first ?? nil
  }

  // MARK: Steps

  /// Shows what the server has accepted in place of what an AppView returns, until the AppView has caught up
  /// (Q21).
  ///
  /// - Parameter isMutedByList: whether a muted list hides how an account itself is muted (Q9).
  /// - Returns: the accounts that the steps are about.
  @discardableResult
  func show(_ steps: [ChangeStep], isMutedByList: Bool = false) -> [DID] {
    guard let account, !overlays.isEmpty else { return [] }
    var edges: [DID: [RecordWrite]] = [:]
    var mutes: [DID: Bool] = [:]
    for step in steps {
      switch step.action {
      case .write(let writes):
        guard case .account(let other) = step.subject else { continue }
        let own = writes.filter { $0.collection == .follow || $0.collection == .block }
        if !own.isEmpty { edges[other, default: []] += own }
      case .call(.mute(let other, let scope), former: _): mutes[other] = scope == .everything
      case .call(.unmute(let other), former: _): mutes[other] = false
      case .call, .end, .decline: break
      }
    }
    for (other, writes) in edges {
      let taken = OptimisticOverlay.Expected(
        following: edge(of: writes, in: .follow, of: account),
        blocking: edge(of: writes, in: .block, of: account))
      confirm(taken, .edges, about: other)
    }
    for (other, isMuted) in mutes {
      confirm(OptimisticOverlay.Expected(muted: isMutedByList ? nil : isMuted), .mute, about: other)
    }
    return Array(Set(edges.keys).union(mutes.keys))
  }

  private func edge(
    of writes: [RecordWrite], in collection: NSID, of account: DID
  ) -> OptimisticOverlay.Edge? {
    let writes = writes.filter { $0.collection == collection }
    if let made = writes.first(where: \.makesRecord) {
      return .there(ATURI(authority: .did(account), collection: collection, recordKey: made.rkey))
    }
    return writes.isEmpty ? nil : .gone(Set(writes.map(\.rkey)))
  }
}

extension ChangeStep {
  /// Whether it deletes a list, or changes how the account treats its members.
  fileprivate var concernsMembers: Bool {
    guard case .list = subject else { return false }
    return call != nil
      || writes.contains { $0.collection == .listblock || $0.collection == .list && !$0.makesRecord }
  }
}
