// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships

/// What is done about accounts, as pages and programs name it.
enum AccountChange: String, Decodable, CaseIterable {
  case follow, unfollow, block, unblock, mute, unmute
  /// Ask to follow, withdraw that, answer such a request, and end a friendship.
  case request, cancel, accept, decline, remove

  /// What finds out what to change.
  ///
  /// - Parameters:
  ///   - scope: how much a mute hides, or only a mute of which scope is ended.
  ///   - version: the version of the request that is answered; nil for any.
  func source(
    of choice: AccountChoice, scope: MuteScope? = nil, version: CID? = nil
  ) -> any ChangeSource {
    func friends(_ kind: FriendChanges.Kind) -> ChangeFriends {
      var change = ChangeFriends(kind, choice)
      change.version = version
      return change
    }
    return switch self {
    case .follow: ChangeAccounts(.follow(), choice)
    case .unfollow: ChangeAccounts(.unfollow(), choice)
    case .block: ChangeAccounts(.block(), choice)
    case .unblock: ChangeAccounts(.unblock, choice)
    case .mute: ChangeAccounts(.mute(scope ?? .everything), choice)
    case .unmute: ChangeAccounts(.unmute(scope), choice)
    case .request: friends(.request(FriendRequestDraft(.follow)))
    case .cancel: friends(.cancel)
    case .accept: friends(.accept)
    case .decline: friends(.decline)
    case .remove: friends(.remove)
    }
  }
}

extension AccountChoice {
  /// Accounts by their handles and DIDs.
  init(naming accounts: [String]) { self.init(TargetStream(origins: accounts.map { .argument($0) })) }
}

/// A change that a page asks for: of one account at once, or of those that are selected by way of a plan.
struct ChangeOrder {
  /// The most accounts of a plan.
  static let mostAccounts = 100_000

  let change: AccountChange
  /// Handles and DIDs.
  let accounts: [String]
  /// Whether it is planned and shown first.
  let isPlanned: Bool
  /// Whether all accounts of the list are meant, also those that are on other pages.
  let isAll: Bool
  /// How much a mute hides.
  let scope: MuteScope?
  /// The version of the request that is answered.
  let version: CID?
  /// After which time it is undone; nil for never.
  let lifetime: Duration?
  /// Whether its questions are answered with yes.
  let isConfirmed: Bool

  /// Reads `do`, which names the change and, for one account, the account and the version of its request; and `actor`, for
  /// each one that is selected.
  init(_ form: QueryItems) throws(DashboardError) {
    let parts = (form["do"] ?? "").split(separator: " ").map(String.init)
    guard let name = parts.first, let change = AccountChange(rawValue: name) else {
      throw .invalid("do", "it names no change that is known here")
    }
    self.change = change
    isPlanned = parts.count == 1
    accounts = isPlanned ? form.all("actor") : [parts[1]]
    isAll = isPlanned && form["all"] == "yes"
    guard isAll || !accounts.isEmpty else {
      throw .invalid("actor", "no account was selected; select some in the list")
    }
    guard accounts.count <= Self.mostAccounts else {
      throw .invalid("actor", "a plan has at most \(Self.mostAccounts) accounts")
    }
    version = parts.count > 2 ? CID(parts[2]) : nil
    guard parts.count <= 2 || version != nil else { throw .invalid("do", "\(parts[2]) is not a CID") }
    scope = form["scope"].flatMap { MuteScope(rawValue: $0) }
    let days = form["days"].flatMap { $0.isEmpty ? nil : $0 }
    lifetime = days.flatMap { Int($0) }.flatMap { (1...3_650).contains($0) ? .seconds($0 * 86_400) : nil }
    guard days == nil || lifetime != nil else {
      throw .invalid("days", "this is not a number from 1 to 3650")
    }
    isConfirmed = form["confirmed"] == "yes"
  }
}
