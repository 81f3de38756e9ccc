// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithWriting

extension Dashboard {
  /// What is answered, by method and path.
  static let routes: LocalRoutes<Action> = {
    var routes = LocalRoutes<Action>()
    routes.add("GET", "/") { _, visit in .seeOther(visit.currentAccount?.address() ?? "/accounts") }
    addAccounts(to: &routes)
    // Before pages, whose paths begin with any name.
    addInterface(to: &routes)
    addPages(to: &routes)
    addPeople(to: &routes)
    addFriends(to: &routes)
    addDiscovery(to: &routes)
    addAnalytics(to: &routes)
    return routes
  }()

  private static func addPages(to routes: inout LocalRoutes<Action>) {
    routes.add("GET", "/{account}") { dashboard, visit in
      try await OverviewPage(visit).response(dashboard.memory)
    }
    routes.add("GET", "/{account}/jobs") { _, visit in try await JobsPage(visit).response() }
    routes.add("GET", "/{account}/jobs/{job}") { _, visit in try await JobPage(visit).response() }
    routes.add("POST", "/{account}/jobs/{job}/{action}") { dashboard, visit in
      let account = try visit.account()
      switch try await dashboard.jobs.carryOut(try JobOrder(visit), in: account.workspace) {
      case .running, .done:
        return .seeOther(visit.back(orTo: account.address("jobs/\(visit.parts["job"] ?? "")")))
      case .asks(let question): return try QuestionPage(question, visit).response
      }
    }
  }

  private static func addInterface(to routes: inout LocalRoutes<Action>) {
    routes.add("GET", "/api/events") { dashboard, visit in
      let last = visit.request["last-event-id"]
      return .streamed(contentType: "text/event-stream") { [events = dashboard.events] write in
        try await events.stream(after: last, to: write)
      }
    }
    // Its request is the sign.
    routes.add("POST", "/api/visible") { _, _ in .json([]) }
    routes.add("GET", "/api/picture") { dashboard, visit in
      guard let address = visit.items["at"] else {
        throw DashboardError.invalid("at", "this parameter is needed")
      }
      let picture = try await dashboard.pictures.picture(at: address)
      return LocalResponse(contentType: picture.mimeType, body: picture.bytes)
    }
    for read in APIRead.all {
      routes.add("GET", "/api/\(read.name)") { _, visit in
        try await read.answer(APIParameters(visit.items), visit.workspace(of: visit.items["account"]))
      }
    }
    routes.add("POST", "/api/proposals") { dashboard, visit in
      let request = try ProposalRequest(visit.request.body)
      let workspace = try visit.workspace(of: request.account)
      return .run(
        try await dashboard.jobs.propose(
          request.source, for: request.lifetime, in: workspace, keeping: APIRead.mostRows))
    }
    routes.add("POST", "/api/jobs/{job}/{action}") { dashboard, visit in
      let order = try JobOrder(visit)
      switch try await dashboard.jobs.carryOut(order, in: visit.workspace) {
      case .running(let job): return .json([OutputField("job", .integer(Int(job.number)))], status: 202)
      case .done(let ending): return .json(ending.fields)
      case .asks(let question):
        let value = OutputValue.object([OutputField("code", .string(question.code))] + question.fields)
        return .json([OutputField("question", value)], status: 409)
      }
    }
  }
}

extension Visit {
  /// Acts as an account, or as the current one if none is named.
  fileprivate func workspace(of account: String?) throws -> Workspace {
    guard let account else { return workspace }
    guard let name = ATIdentifier(account) else {
      throw DashboardError.invalid("account", "this is not a handle or DID")
    }
    return try self.account(name).workspace
  }
}
