// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships

/// What is done about accounts, as pages and programs name it.
enum AccountChange: String, Decodable, CaseIterable {
  case follow, unfollow, block, unblock, mute, unmute
  /// Ask to follow, or to be friends.
  case request
  case befriend = "friend"
  /// Withdraw that, answer such a request, and end a friendship.
  case cancel, accept, decline, remove

  /// What finds out what to change.
  ///
  /// - Parameter scope: how much a mute hides, or only a mute of which scope is ended.
  func source(of choice: AccountChoice, scope: MuteScope? = nil) -> any ChangeSource {
    switch self {
    case .follow: ChangeAccounts(.follow(), choice)
    case .unfollow: ChangeAccounts(.unfollow(), choice)
    case .block: ChangeAccounts(.block(), choice)
    case .unblock: ChangeAccounts(.unblock, choice)
    case .mute: ChangeAccounts(.mute(scope ?? .everything), choice)
    case .unmute: ChangeAccounts(.unmute(scope), choice)
    case .request: ChangeFriends(.request(FriendRequestDraft(.follow)), choice)
    case .befriend: ChangeFriends(.request(FriendRequestDraft(.friend)), choice)
    case .cancel: ChangeFriends(.cancel, choice)
    case .accept: ChangeFriends(.accept, choice)
    case .decline: ChangeFriends(.decline, choice)
    case .remove: ChangeFriends(.remove, choice)
    }
  }
}

/// An account that a form or a program names, and the version of its request that was shown: `NAME` or `NAME CID`.
struct NamedTarget: Hashable {
  /// A handle or DID.
  let name: String
  /// What an answer is about; nil for any version.
  let version: CID?

  init(_ name: String, version: CID? = nil) { (self.name, self.version) = (name, version) }

  /// - Parameter field: what the text is from, for the error.
  init(parsing text: String, of field: String) throws(DashboardError) {
    let parts = text.split(separator: " ", maxSplits: 1).map(String.init)
    let version = parts.count > 1 ? CID(parts[1]) : nil
    guard parts.count < 2 || version != nil else { throw .invalid(field, "\(parts[1]) is not a CID") }
    self.init(parts.first ?? "", version: version)
  }

  fileprivate var origin: TargetStream.Origin {
    guard let version else { return .argument(name) }
    return .question(RelationshipQuestion(typed: name).aboutRequest(version.description))
  }
}

extension AccountChoice {
  init(naming accounts: [NamedTarget]) { self.init(TargetStream(origins: accounts.map(\.origin))) }
}

/// A change that a page asks for: of one account at once, or of those that are selected by way of a plan.
struct ChangeOrder {
  /// The most accounts of a plan.
  static let mostAccounts = 100_000

  let change: AccountChange
  let accounts: [NamedTarget]
  /// Whether it is planned and shown first.
  let isPlanned: Bool
  /// Whether all accounts of the list are meant, also those that are on other pages.
  let isAll: Bool
  /// How much a mute hides.
  let scope: MuteScope?
  /// After which time it is undone; nil for never.
  let lifetime: Duration?
  /// Whether its questions are answered with yes.
  let isConfirmed: Bool

  /// Reads `do`, which names the change and, for one account, that account; and `actor`, for each one that is selected.
  init(_ form: QueryItems) throws(DashboardError) {
    let parts = (form["do"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
    guard let name = parts.first, let change = AccountChange(rawValue: name) else {
      throw .invalid("do", "it names no change that is known here")
    }
    self.change = change
    isPlanned = parts.count == 1
    isAll = isPlanned && form["all"] == "yes"
    let names = isPlanned ? form.all("actor") : [parts[1]]
    guard isAll || !names.isEmpty else {
      throw .invalid("actor", "no account was selected; select some in the list")
    }
    guard names.count <= Self.mostAccounts else {
      throw .invalid("actor", "a plan has at most \(Self.mostAccounts) accounts")
    }
    var accounts: [NamedTarget] = []
    for name in names { accounts.append(try NamedTarget(parsing: name, of: isPlanned ? "actor" : "do")) }
    self.accounts = accounts
    scope = form["scope"].flatMap { MuteScope(rawValue: $0) }
    let days = form["days"].flatMap { $0.isEmpty ? nil : $0 }
    lifetime = days.flatMap { Int($0) }.flatMap { (1...3_650).contains($0) ? .seconds($0 * 86_400) : nil }
    guard days == nil || lifetime != nil else {
      throw .invalid("days", "this is not a number from 1 to 3650")
    }
    isConfirmed = form["confirmed"] == "yes"
  }
}
