// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations

/// The accounts that are signed in on this machine: to switch, to sign in, to sign out.
struct AccountsPage {
  static let address = "/accounts"

  private let visit: Visit

  init(_ visit: Visit) { self.visit = visit }

  func response() async throws -> LocalResponse {
    let form = "<section class=\"card\" aria-labelledby=\"sign-in\"><header><h2 id=\"sign-in\">" as HTML
    guard !visit.accounts.isEmpty else {
      return visit.page(
        "Accounts", of: nil, in: .accounts, under: "No account is signed in on this machine.",
        "<div class=\"mw2\">\(form)Sign in</h2></header>\(SignInForm().html(visit, isAlone: true))</section></div>"
      )
    }
    let rows = visit.accounts.filter(\.isCurrent) + visit.accounts.filter { !$0.isCurrent }
    let checks = visit.items["check"] == "yes" ? await checks() : [:]
    return visit.page(
      "Accounts", of: visit.currentAccount, in: .accounts,
      under: "Signed in on this machine. Commands use the current one if they name none.",
      """
      <div class="cols"><section class="card" aria-labelledby="signed-in"><header><h2 id="signed-in">Signed in</h2>\
      <a class="s" href="\(Self.address)?check=yes">Check all sessions</a></header>\
      <ul class="list rule">\(rows.map { item($0, checks[$0.did]) })</ul></section>\
      \(form)Add an account</h2></header>\(SignInForm().html(visit, isAlone: false))</section></div>
      """)
  }

  /// Makes an account the current one, and goes on to its overview.
  func switchAccount() async throws -> LocalResponse {
    let account = try visit.account()
    _ = try await GatheredRun(SwitchAccount(to: .did(account.did)), in: visit.workspace, most: 0)
    return .seeOther(account.address())
  }

  /// The address of a page about an account of this machine. Two may have the same handle.
  static func address(_ page: String, of account: DID) -> String { "\(address)/@\(account)/\(page)" }

  // MARK: Sessions

  /// Asks the servers whether the sessions still work.
  private func checks() async -> [DID: Result<Datetime, any Error>] {
    await withTaskGroup(of: (DID, Result<Datetime, any Error>).self) { group in
      for row in visit.accounts where row.session != nil {
        group.addTask { [workspace = visit.workspace] in
          do {
            _ = try await GatheredRun(ConfirmSession(), in: workspace.acting(as: .did(row.did)), most: 1)
            return (row.did, .success(Datetime(at: workspace.time.instant)))
          } catch {
            return (row.did, .failure(error))
          }
        }
      }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  private func item(_ row: AccountRow, _ check: Result<Datetime, any Error>?) -> HTML {
    let handle = row.session?.handle
    let name = handle.flatMap { $0.isInvalid ? nil : $0.description } ?? row.did.description
    let current: HTML? = row.isCurrent ? "<span class=\"tag mut\">\(Icon.check.html)Current</span>" : nil
    return """
      <li>\(AccountPicture.initials(of: name, row.did))<div class="grow stack t">\
      <div class="id"><span class="line"><a class="cut" href="/@\(name)"><b>\(guest: name)</b></a>\(current)</span>\
      <span class="hd">\(row.session.map { "at \($0.pds.authority)" as HTML })</span></div>\
      \(facts(row, check))<div class="acts">\(actions(row, name))</div></div></li>
      """
  }

  private func facts(_ row: AccountRow, _ check: Result<Datetime, any Error>?) -> [HTML] {
    var facts: [HTML] = []
    if let error = row.failure { facts.append(broken(error, row)) }
    switch check {
    case .success(let time)?:
      facts.append(
        "<div class=\"line n tp s\">\(Icon.check.html)<span>Works, checked \(PageTime.html(time))</span></div>"
      )
    case .failure(let error)?: facts.append(broken(error, row))
    case nil: break
    }
    if row.session?.isActive == false {
      facts.append(
        Notice.html(
          .warn, "The account is not active: \(row.session?.status ?? "the server gives no reason")."))
    }
    if row.session?.hasFullAccess == true {
      facts.append(
        Notice.html(
          .plain, "Signed in with the main password.",
          """
           An app password is enough and can be revoked by itself: create one in the settings of your app, then \
          <a href="\(signInAgain(row))">sign in again</a> with it.
          """))
    }
    return facts
  }

  /// Why a session does not work, and the way out.
  private func broken(_ error: any Error, _ row: AccountRow) -> HTML {
    let failure = Failure(error)
    let sentence = (error as? any CodedError)?.errorDescription ?? failure.sentence
    let isSession = row.failure != nil || failure.signIn != nil
    let button: HTML? =
      isSession
      ? "<div class=\"acts\"><a class=\"b sm\" href=\"\(signInAgain(row))\">\(Icon.key.html)Sign in again</a></div>"
      : nil
    return """
      <div class="note bad" role="alert">\(Icon.warn.html)<div>\(isSession ? "" : "Could not check. ")\(sentence)\
      <div class="m xs">\(failure.sentence)</div></div>\(button)</div>
      """
  }

  private func signInAgain(_ row: AccountRow) -> String {
    let handle = row.session.flatMap { $0.handle.isInvalid ? nil : $0.handle.description }
    return "\(SignInPage.address)?account=\(QueryItems.encoded(handle ?? row.did.description))"
  }

  private func actions(_ row: AccountRow, _ name: String) -> HTML {
    let change: HTML? =
      row.isCurrent
      ? nil
      : """
      <form method="post" action="\(Self.address("switch", of: row.did))">\(visit.formField)\
      <button class="b sm" aria-label="Switch to \(guestValue: name)">\(Icon.swap.html)Switch</button></form>
      """
    let edit: HTML? =
      row.session == nil
      ? nil
      : """
      <a class="b sm" href="/@\(name)/\(EditProfilePage.name)" aria-label="Edit profile of \(guestValue: name)">\(Icon.edit.html)Edit profile</a>
      """
    return """
      \(change)\(edit)<a class="b sm" href="\(Self.address("sign-out", of: row.did))" \
      aria-label="Sign out \(guestValue: name)">Sign out</a>
      """
  }
}
