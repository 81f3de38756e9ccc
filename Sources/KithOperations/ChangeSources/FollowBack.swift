// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithRelationships
import KithWriting

/// The followers of an account that may be followed back without a person looking at each: none with a block in either direction, none
/// that is muted, and none that a service has labelled.
public struct FollowBackCandidates: Sendable {
  /// The followers to follow, in the order in which they were given.
  public internal(set) var accounts: [AccountView] = []
  /// How many were left out, and why.
  public internal(set) var screening = FollowBackScreening()
  /// Why accounts are unknown; nil if nothing has failed.
  public internal(set) var fault: (any Error)?

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
        screening.unknown += 1
        continue
      }
      let services = Set((view.marks?.labels ?? []).map(\.source)).subtracting([candidate])
      if relationship.isBlocked {
        screening.blocked += 1
      } else if relationship.muted == true {
        screening.muted += 1
      } else if services.isEmpty {
        self.accounts.append(view)
        screening.followers += 1
      } else {
        labellers += services.map { ($0, 1) }
      }
    }
    let names = try await workspace.names().views(of: Set(labellers.map(\.service)), asking: true)
    for (service, count) in labellers {
      screening.labelled[service.name(in: names[service]), default: 0] += count
    }
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

/// Follows the followers that the account does not follow yet: those that may be followed without a look at each, as
/// fast as the age of the account allows.
public struct FollowBack: ChangeSource {
  public static let name = "followBack"

  /// The names of accounts to leave out.
  public var exclusions: [TargetStream]
  /// The filter; nil for all.
  public var predicate: AccountPredicate?

  public init(excluding exclusions: [TargetStream] = [], where predicate: AccountPredicate? = nil) {
    (self.exclusions, self.predicate) = (exclusions, predicate)
  }

  public var title: ChangeTitle {
    var title = ChangeTitle.follow
    title.imperative = "Follow back"
    return title
  }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let (workspace, account) = (preparation.workspace, preparation.account)
    let limit = try await preparation.limit.paced(for: account, in: workspace)
    let found = try await workspace.accounts(
      of: AccountSelection(
        [.listing(.notFollowedBack(by: .did(account.did)))], excluding: exclusions, where: predicate),
      as: account, preparation.note)
    let candidates = try await FollowBackCandidates(
      among: found.members.compactMap { try? $0.account.get() }, of: account, in: workspace)
    preparation.note(.followBackScreened(candidates.screening))
    var prepared = PreparedChanges(
      candidates.accounts.map { RequestedChange($0.name, .success(.follow($0.account))) })
    if !prepared.requests.isEmpty {
      preparation.note(.followBackPaced(perHour: limit.changesPerHour, perDay: limit.changesPerDay))
      preparation.note(.approvalNotAsked)
    }
    prepared.limit = limit
    prepared.fault = candidates.fault
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    let account = estimate.account
    estimate.limit = try await (estimate.limit as WriteLimit?).paced(for: account, in: estimate.workspace)
    try await estimate.read([.edges(.follow)])
    for names in exclusions { try await estimate.addNames(of: names) }
    try await estimate.add(.notFollowedBack(by: .did(account.did))) { .follow($0) }
    if let predicate { estimate.add(predicate) }
    // The pace and the screening.
    estimate.costs.addHandles(1)
    estimate.costs.addHandles(estimate.count)
  }
}

extension WriteLimit? {
  /// The limit with the pace of an account, unless it has one.
  fileprivate func paced(for account: AuthorizedAccount, in workspace: Workspace) async throws -> WriteLimit {
    let limit = self ?? WriteLimit()
    guard limit.changesPerHour == nil, limit.changesPerDay == nil else { return limit }
    let pace = try await FollowPace(of: account, in: workspace)
    var paced = WriteLimit(
      perHour: limit.perHour, perDay: limit.perDay, leave: limit.leave, changesPerHour: pace.perHour,
      changesPerDay: pace.perDay)
    paced.ignoresReports = limit.ignoresReports
    return paced
  }
}
