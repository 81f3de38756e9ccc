// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations

/// An admitted request with what it names.
struct Visit: Sendable {
  let request: LocalRequest
  /// The parts of the path that a route names.
  let parts: [String: String]
  /// The names and values of the query.
  let items: QueryItems
  /// Those of the form that a POST brings; nil if it brings something else.
  let form: QueryItems?
  /// The files that the form brings, by the names of its fields.
  let files: [String: [UInt8]]
  /// What forms of the answer have to bring.
  let formToken: String
  let workspace: Workspace
  /// The accounts that are signed in.
  let accounts: [AccountRow]

  /// The account that the address names.
  ///
  /// - Throws: ``DashboardError`` `noSuchPage` if it names none, `notSignedIn`.
  func account() throws -> AccountInUse {
    let part = parts["account"] ?? ""
    guard part.hasPrefix("@"), let name = ATIdentifier(String(part.dropFirst())) else {
      throw DashboardError(.noSuchPage, request.path, "there is no such page")
    }
    return try account(name)
  }

  /// A signed-in account by its name.
  func account(_ name: ATIdentifier) throws -> AccountInUse {
    for row in accounts where name == .did(row.did) || row.session.map({ name == .handle($0.handle) }) == true
    {
      return AccountInUse(row, workspace)
    }
    throw DashboardError(.notSignedIn, "\(name)", "this account is not signed in")
  }

  /// The current account; nil if none is signed in.
  var currentAccount: AccountInUse? {
    (accounts.first(where: \.isCurrent) ?? accounts.first).map { AccountInUse($0, workspace) }
  }

  /// The hidden field that each form has.
  var formField: HTML { "<input type=\"hidden\" name=\"token\" value=\"\(formToken)\">" }
}

/// A signed-in account that a page is about.
struct AccountInUse: Sendable {
  let did: DID
  let handle: Handle?
  /// Acts as the account.
  let workspace: Workspace

  init(_ row: AccountRow, _ workspace: Workspace) {
    // Several accounts may have lost their handle.
    (did, handle) = (row.did, row.session.flatMap { $0.handle.isInvalid ? nil : $0.handle })
    self.workspace = workspace.acting(as: .did(row.did))
  }

  /// What people call it.
  var name: String { handle?.description ?? did.description }

  /// The address of one of its pages.
  func address(_ page: String = "") -> String { page.isEmpty ? "/@\(name)" : "/@\(name)/\(page)" }
}
