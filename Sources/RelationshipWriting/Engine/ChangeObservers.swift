// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons
public import Relationships

/// The services that are notified of what an account's changes did: relationship answers, `changes`, and
/// profile counts.
public struct ChangeObservers: Sendable {
  private let account: DID?
  let service: FollowRelationshipService?
  let profiles: ProfileService?

  /// Creates observers that ignore everything.
  public init() { (account, service, profiles) = (nil, nil, nil) }

  /// Creates observers from the services of an app that changes the relationships of an account.
  ///
  /// - Parameter profiles: ignored if it belongs to another account, because its counts do not move with
  ///   these changes.
  public init(account: DID, relationships service: FollowRelationshipService?, profiles: ProfileService?) {
    self.account = account
    self.service = service
    self.profiles = profiles?.account == account ? profiles : nil
  }

  /// Shows steps that the server has accepted from now on, and notifies listeners.
  func took(_ steps: [ChangeStep]) {
    guard let account, service != nil || profiles != nil else { return }
    for other in show(steps) { service?.move(account, other, takingBack: nil, because: nil) }
  }

  /// Shows what the server has accepted in place of what an AppView returns, until the AppView has caught up
  /// (Q21).
  ///
  /// - Parameter isMutedByList: whether a muted list hides how an account itself is muted (Q9).
  /// - Returns: the accounts that the steps are about.
  @discardableResult
  func show(_ steps: [ChangeStep], isMutedByList: Bool = false) -> [DID] {
    guard let account, service != nil || profiles != nil else { return [] }
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
      case .call: break
      }
    }
    for (other, writes) in edges {
      let taken = OptimisticOverlay.Expected(
        following: edge(of: writes, in: .follow, of: account),
        blocking: edge(of: writes, in: .block, of: account))
      service?.overlay.take(taken, .edges, of: account, about: other)
      profiles?.take(taken, .edges, about: other)
    }
    for (other, isMuted) in mutes {
      let taken = OptimisticOverlay.Expected(muted: isMutedByList ? nil : isMuted)
      service?.overlay.take(taken, .mute, of: account, about: other)
      profiles?.take(taken, .mute, about: other)
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
