// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships

/// The followers of an account that may be followed back without a person looking at each: none with a block in either direction, none
/// that is muted, and none that a service has labelled.
public struct FollowBackCandidates: Sendable {
  /// The followers to follow, in the order in which they were given.
  public internal(set) var accounts: [AccountView] = []
  /// How many were left out because of a block in either direction.
  public internal(set) var blocked = 0
  /// How many were left out because they are muted.
  public internal(set) var muted = 0
  /// How many were left out because the AppView does not show them, or does not say how both are related.
  public internal(set) var unknown = 0
  /// How many were left out because of labels, by the name of the service; labels that accounts give themselves do not count.
  public internal(set) var labelled: [String: Int] = [:]
  /// Why accounts are unknown; nil if nothing has failed.
  public internal(set) var fault: (any Error)?

  /// No followers.
  init() {}

  /// Looks at accounts, 25 per call.
  ///
  /// - Throws: `RelationshipError`, `CancellationError`.
  public init(
    among accounts: [DID], of account: AuthorizedAccount, in workspace: Workspace
  ) async throws {
    let views = try await AccountViews(client: account.appview).outcomes(
      of: accounts, concurrency: workspace.concurrency)
    var labellers: [(service: DID, count: Int)] = []
    for candidate in accounts {
      guard let view = read(views[candidate]), let relationship = view.relationship else {
        unknown += 1
        continue
      }
      let services = Set((view.marks?.labels ?? []).map(\.source)).subtracting([candidate])
      if relationship.isBlocked {
        blocked += 1
      } else if relationship.muted == true {
        muted += 1
      } else if services.isEmpty {
        self.accounts.append(view)
      } else {
        labellers += services.map { ($0, 1) }
      }
    }
    let names = try await workspace.names().views(of: Set(labellers.map(\.service)), asking: true)
    for (service, count) in labellers { labelled[service.name(in: names[service]), default: 0] += count }
  }

  private mutating func read(_ outcome: Result<AccountView?, RelationshipError>?) -> AccountView? {
    switch outcome {
    case .success(let view): return view
    case .failure(let error):
      fault = fault ?? error
      return nil
    case nil: return nil
    }
  }
}

/// How fast an account follows others without drawing attention: new accounts that follow many at once are suspended.
public struct FollowPace: Sendable, Hashable {
  /// The most follows within an hour.
  public let perHour: Int
  /// The most follows within a day.
  public let perDay: Int

  /// Creates a pace from the age of an account; without one it counts as new.
  public init(createdAt: Datetime?, now: Datetime) {
    let age = createdAt.map { now.instant - $0.instant } ?? .zero
    (perHour, perDay) = age < .days(30) ? (5, 20) : age < .days(365) ? (15, 60) : (30, 150)
  }

  /// The pace of an account as its AppView describes it.
  public init(of account: AuthorizedAccount, in workspace: Workspace) async throws {
    let views = try await AccountViews(client: account.appview).outcomes(of: [account.did])
    self.init(
      createdAt: try views[account.did]?.get()?.createdAt, now: Datetime(at: workspace.time.instant))
  }
}
