// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations

/// The accounts that are signed in on this machine.
struct AccountsPage {
  let visit: Visit

  var response: LocalResponse {
    let content: HTML =
      visit.accounts.isEmpty
      ? """
      <section class="card"><h2>No account is signed in</h2><p>Sign in with the command line; then load this page again.</p></section>
      """ : "<section class=\"card\"><ul class=\"list rule\">\(visit.accounts.map(item))</ul></section>"
    return visit.page("Accounts", of: visit.currentAccount, in: .accounts, content)
  }

  private func item(_ row: AccountRow) -> HTML {
    let name = row.session?.handle.description ?? row.did.description
    let current: HTML? = row.isCurrent ? "<span class=\"tag\">\(Icon.check.html)Current</span>" : nil
    let failure: HTML? = row.failure == nil ? nil : "<div class=\"bad xs\">\(row.reason ?? "")</div>"
    return """
      <li>\(AccountPicture.initials(of: name, row.did, " sm"))<div class="grow"><a href="/@\(name)"><b>\(guest: name)</b></a> \(current)\
      <div class="m xs">\(row.session?.pds.description ?? "")</div>\(failure)</div></li>
      """
  }
}
