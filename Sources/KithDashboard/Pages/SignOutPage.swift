// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithWording
import KithWriting

/// Signs an account out, after it has said what stays and what waits.
struct SignOutPage {
  private let account: AccountInUse
  private let visit: Visit

  init(_ visit: Visit) throws { (account, self.visit) = (try visit.account(), visit) }

  private var row: AccountRow? { visit.accounts.first { $0.did == account.did } }

  func response() async throws -> LocalResponse {
    let work: HTML
    do {
      let running = try await running()
      work = Self.words(
        try await UnfinishedWork(of: account.did, in: account.workspace), running, of: account)
    } catch {
      // Neither the jobs nor an unreadable journal prevent signing out.
      work = Self.unknown(error)
    }
    let server = row?.session.map { $0.pds.authority } ?? "its server"
    return visit.page(
      "Sign out", of: account, in: .accounts, under: "\(guest: account.name)",
      """
      <section class="card mw2 stack"><p>Kith asks \(server) to end the session, and removes it from this machine.</p>\
      <ul class="pts"><li>\(Icon.check.html)<span>Snapshots, history, jobs and what can be undone stay on this machine. You find them \
      again when you sign in.</span></li>\
      <li>\(Icon.check.html)<span>Nothing changes for others: account, posts and follows stay as they are. The app password still \
      works; if you no longer need it, revoke it in the settings of your app.</span></li>\(work)</ul>\
      <div class="acts"><form method="post" action="\(AccountsPage.address("sign-out", of: account.did))">\(visit.formField)\
      <button class="b d"><span>Sign out \(guest: account.name)</span></button></form>\
      <a class="b" href="\(AccountsPage.address)">Stay signed in</a></div></section>
      """)
  }

  /// Pauses the jobs that run, since their tokens would work for a while, signs out, and goes back to the accounts.
  func signOut(_ jobs: JobsInServer) async throws -> LocalResponse {
    // A journal that cannot be read does not prevent it.
    for job in (try? await running()) ?? [] {
      // One that ends in this moment need not be paused.
      _ = try? await GatheredRun(
        StopJob(job, finally: false), in: account.workspace, most: 1, endingThere: false)
    }
    let run = try await GatheredRun(
      SignOutAccounts(), in: account.workspace, most: 1, endingThere: false)
    jobs.events.publish(DashboardEvent(.jobs))
    guard let row = run.rows.first, row.failure != nil else { return .seeOther(AccountsPage.address) }
    return Self.answer(row, account, visit)
  }

  /// Those under way, also if the process that ran them is gone.
  private func running() async throws -> [JobID] {
    // The account itself need not work.
    let rows = try await GatheredRun(ListJobs(), in: visit.workspace.acting(as: nil), most: 1_000).rows
    return rows.filter { $0.job.account == account.did && $0.job.state == .running }.map(\.job.id)
  }

  // MARK: Words

  private static func words(_ work: UnfinishedWork, _ running: [JobID], of account: AccountInUse) -> HTML {
    let open = work.open.filter { !running.contains($0) }
    let timed = work.timed.filter { !running.contains($0) }
    return """
      \(point(running, of: account, "is under way. It is paused now; resume it after you sign in again.", "are under way. They are paused now; resume them after you sign in again."))\
      \(point(open, of: account, "is not finished, and waits until you sign in again.", "are not finished, and wait until you sign in again."))\
      \(point(timed, of: account, "made changes for a time. They end only after you sign in again.", "made changes for a time. They end only after you sign in again."))
      """
  }

  /// Jobs by their numbers, and what becomes of them.
  private static func point(
    _ jobs: [JobID], of account: AccountInUse, _ one: String, _ several: String
  ) -> HTML? {
    guard !jobs.isEmpty else { return nil }
    let numbers = jobs.prefix(10).map(\.description).joined(separator: ", ") + (jobs.count > 10 ? ", …" : "")
    return """
      <li><svg class="i warn" aria-hidden="true"><use href="#i-warn"/></svg><span><a href="\(account.address("jobs"))">\
      \(jobs.count == 1 ? "Job" : "Jobs") \(numbers)</a> \(jobs.count == 1 ? one : several)</span></li>
      """
  }

  private static func unknown(_ error: any Error) -> HTML {
    """
    <li><svg class="i warn" aria-hidden="true"><use href="#i-warn"/></svg><span>Whether jobs are unfinished is not known: \
    \(Failure(error).sentence)</span></li>
    """
  }

  /// A sign-out that did not end as it should.
  private static func answer(
    _ row: SignOutAccounts.Row, _ account: AccountInUse, _ visit: Visit
  ) -> LocalResponse {
    let content: HTML
    var isOut = true
    switch row.ending {
    case .success(.notRevoked(let error)):
      content = Notice.html(
        .warn, "\(account.name) is signed out here, but its server did not confirm it.",
        """
        <div>A copy of the session could be used until it expires. To rule that out, revoke the app password in the settings of \
        your app.</div><div class="m xs">\(Failure(error).sentence)</div>
        """)
    case .success: content = Notice.html(.good, "\(account.name) is signed out.")
    case .failure(let error):
      isOut = false
      content = Notice.html(
        .bad, "\(account.name) is not signed out. \(error.errorDescription ?? "")",
        "<div class=\"m xs\">\(Failure(error).sentence)</div>")
    }
    var response = visit.page(
      "Sign out", of: isOut ? nil : account, in: .accounts,
      """
      <section class="card mw2 stack">\(content)<div class="acts"><a class="b" href="\(AccountsPage.address)">Accounts</a></div></section>
      """)
    response.status = Failure(row.failure ?? CancellationError()).status
    return response
  }
}
