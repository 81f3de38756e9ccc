// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations

/// A change that is asked for under `/api/proposals`: it is planned, shown, and waits for a yes to exactly that plan.
struct ProposalRequest: Decodable {
  let kind: AccountChange
  /// Handles and DIDs.
  let accounts: [String]
  /// After how many seconds it is undone; absent for never.
  let seconds: Int?
  /// The signed-in account; absent for the current one.
  let account: String?

  init(_ body: [UInt8]) throws(DashboardError) {
    do { self = try JSONCoding.decode(Self.self, from: body) } catch {
      let kinds = AccountChange.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(
        "body", "it has to be an object with kind (\(kinds)) and accounts (an array of handles and DIDs)")
    }
    guard (1...ChangeOrder.mostAccounts).contains(accounts.count) else {
      throw .invalid("accounts", "1 to \(ChangeOrder.mostAccounts) of them are needed")
    }
    guard (seconds ?? 60) >= 60 else { throw .invalid("seconds", "60 or more are needed") }
  }

  /// What finds out what to change.
  var source: any ChangeSource { kind.source(of: AccountChoice(naming: accounts)) }

  /// After which time it is undone; nil for never.
  var lifetime: Duration? { seconds.map { .seconds($0) } }
}
