// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWriting

/// A change that is asked for under `/api/proposals`: it is planned, shown, and waits for a yes to exactly that plan.
struct ProposalRequest: Decodable {
  /// What is done about each account.
  enum Kind: String, Decodable, CaseIterable {
    case follow, unfollow, block, unblock, mute, unmute

    var change: ChangeAccounts.Kind {
      switch self {
      case .follow: .follow()
      case .unfollow: .unfollow()
      case .block: .block()
      case .unblock: .unblock
      case .mute: .mute()
      case .unmute: .unmute()
      }
    }
  }

  /// The most accounts of a plan.
  static let mostAccounts = 100_000

  let kind: Kind
  /// Handles and DIDs.
  let accounts: [String]
  /// After how many seconds it is undone; absent for never.
  let seconds: Int?
  /// The signed-in account; absent for the current one.
  let account: String?

  init(_ body: [UInt8]) throws(DashboardError) {
    do { self = try JSONCoding.decode(Self.self, from: body) } catch {
      let kinds = Kind.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(
        "body", "it has to be an object with kind (\(kinds)) and accounts (an array of handles and DIDs)")
    }
    guard (1...Self.mostAccounts).contains(accounts.count) else {
      throw .invalid("accounts", "1 to \(Self.mostAccounts) of them are needed")
    }
    guard (seconds ?? 60) >= 60 else { throw .invalid("seconds", "60 or more are needed") }
  }

  var operation: Change<ChangeAccounts> {
    var change = Change(
      ChangeAccounts(kind.change, AccountChoice(TargetStream(origins: accounts.map { .argument($0) }))))
    change.mode = .propose
    change.lifetime = seconds.map { .seconds($0) }
    return change
  }
}
