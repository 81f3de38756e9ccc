// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages
import KithOperations

/// A change that is asked for under `/api/proposals`: it is planned, shown, and waits for a yes to exactly that plan.
struct ProposalRequest {
  private struct Body: Decodable {
    let kind: AccountChange
    /// Handles and DIDs; for answers to requests, each with a space and the CID of the request that was shown.
    let accounts: [String]
    /// After how many seconds it is undone; absent for never.
    let seconds: Int?
    /// The signed-in account; absent for the current one.
    let account: String?
  }

  private let kind: AccountChange
  private let accounts: [NamedTarget]
  /// After which time it is undone; nil for never.
  let lifetime: Duration?
  /// The signed-in account; nil for the current one.
  let account: String?

  init(_ bytes: [UInt8]) throws(DashboardError) {
    let body: Body
    do { body = try JSONCoding.decode(Body.self, from: bytes) } catch {
      let kinds = AccountChange.allCases.map(\.rawValue).joined(separator: ", ")
      throw .invalid(
        "body", "it has to be an object with kind (\(kinds)) and accounts (an array of handles and DIDs)")
    }
    guard (1...ChangeOrder.mostAccounts).contains(body.accounts.count) else {
      throw .invalid("accounts", "1 to \(ChangeOrder.mostAccounts) of them are needed")
    }
    guard (body.seconds ?? 60) >= 60 else { throw .invalid("seconds", "60 or more are needed") }
    var accounts: [NamedTarget] = []
    for account in body.accounts { accounts.append(try NamedTarget(parsing: account, of: "accounts")) }
    (kind, self.accounts, account) = (body.kind, accounts, body.account)
    lifetime = body.seconds.map { .seconds($0) }
  }

  /// What finds out what to change.
  var source: any ChangeSource { kind.source(of: AccountChoice(naming: accounts)) }
}
