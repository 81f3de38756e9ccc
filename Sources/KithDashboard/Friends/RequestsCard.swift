// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// The first requests that wait for an answer, for the first page, which has it loaded by a script: to find them takes a while.
struct RequestsCard {
  /// The most requests that are shown.
  private static let most = 5

  private let account: AccountInUse

  init(_ visit: Visit) throws { account = try visit.account() }

  func response() async throws -> LocalResponse {
    let workspace = account.workspace
    let inbox = ListReceivedRequests(
      of: try await workspace.account(), from: ListReceivedRequests.usualSource(in: workspace, after: 0))
    let run = try await GatheredRun(inbox, in: workspace, most: ListReceivedRequests.pageSize, failingEmpty: false)
    return .page("<div id=\"waiting\">\(content(run))</div>")
  }

  private func content(_ run: GatheredRun<FriendRequestRow, ListReceivedRequests.Outcome>) -> HTML {
    var parts: [HTML] = []
    if let error = run.outcome.interruption {
      parts.append("<p class=\"s\">Some requests may be missing: \(Failure(error).sentence).</p>")
    }
    if !run.rows.isEmpty {
      let items = run.rows.prefix(Self.most).map { InboxRow(row: $0, viewer: account).item }
      parts.append("<ul class=\"list\">\(items)</ul><p class=\"m xs\"><kbd>a</kbd> accept</p>")
    } else if run.outcome.interruption == nil {
      parts.append("<p class=\"m s\">No request waits for you.</p>")
    }
    let more = run.outcome.candidates - Self.most
    if more > 0 {
      parts.append("<p class=\"s\"><a href=\"\(account.address("requests"))\">Look at \(Counted.words(more, "more account"))</a></p>")
    }
    return "\(parts)"
  }
}
