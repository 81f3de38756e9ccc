// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWriting

extension Dashboard {
  /// Accounts, lists of them, and what is done about them.
  static func addPeople(to routes: inout LocalRoutes<Action>) {
    for section in Section.allCases where ListingPage.sections.contains(section) {
      addListing(section, at: "/{account}/\(section.rawValue)", to: &routes)
    }
    for section in ListingPage.publicSections {
      addListing(section, at: "/{account}/profile/{actor}/\(section.rawValue)", to: &routes)
    }
    routes.add("GET", "/{account}/profile/{actor}") { _, visit in try await ProfilePage(visit).response() }
    routes.add("GET", "/{account}/ask/{change}/{actor}") { _, visit in try await AskPage(visit).response() }
    routes.add("GET", "/{account}/report/{actor}") { _, visit in try ReportPage(visit).response }
    routes.add("POST", "/{account}/report/{actor}") { dashboard, visit in
      try await ReportPage(visit).send(dashboard.jobs)
    }
    routes.add("GET", "/{account}/filter") { _, visit in
      let section = visit.items["list"].flatMap { Section(rawValue: $0) } ?? .followers
      let request = try ListingRequest(section, visit)
      return .page(await FilterHelp(text: visit.items["where"] ?? "", request: request).html())
    }
    routes.add("GET", "/{account}/button/{actor}") { _, visit in
      guard case .did(let account) = try visit.actor() else {
        throw DashboardError.invalid("actor", "this is not a DID")
      }
      return .page(try await ChangePage(visit, about: account).button())
    }
    routes.add("POST", "/{account}/change") { dashboard, visit in try await dashboard.change(visit) }
  }

  private static func addListing(_ section: Section, at path: String, to routes: inout LocalRoutes<Action>) {
    routes.add("GET", path) { dashboard, visit in
      try await ListingPage(section, visit).response(dashboard.listings)
    }
    routes.add("GET", "\(path)/export") { _, visit in try await ListingExport(section, visit).response() }
  }

  private func change(_ visit: Visit) async throws -> LocalResponse {
    guard let form = visit.form else { throw DashboardError.invalid("body", "it has to be a form") }
    if let text = form["do"], text.hasPrefix("check "), let account = DID(String(text.dropFirst(6))) {
      return try await ChangePage(visit, about: account).checked()
    }
    let (account, order) = (try visit.account(), try ChangeOrder(form))
    guard order.isPlanned else {
      return try await ChangePage(visit, about: try await order.account(in: account.workspace)).response(
        order, jobs)
    }
    let section = form["list"].flatMap { Section(rawValue: $0) } ?? .followers
    let choice =
      order.isAll
      ? try await ListingRequest(section, visit).choice() : AccountChoice(naming: order.accounts)
    let run = try await jobs.propose(
      order.change.source(of: choice, scope: order.scope), for: order.lifetime, in: account.workspace,
      keeping: NothingToDoPage.mostRows)
    guard let job = run.outcome.job else { return NothingToDoPage(run, order.change, visit).response }
    return .seeOther(account.address("jobs/\(job.id.number)"))
  }
}

extension ChangeOrder {
  /// The account that it is about.
  fileprivate func account(in workspace: Workspace) async throws -> DID {
    guard let text = accounts.first?.name, let name = ATIdentifier(text) else {
      throw DashboardError.invalid(accounts.first?.name ?? "", "this is not a handle or DID")
    }
    return try await workspace.identities.did(of: name)
  }
}
