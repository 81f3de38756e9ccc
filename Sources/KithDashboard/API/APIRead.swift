// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships

/// A question that programs ask under `/api`: an operation whose rows are the answer.
///
/// The answer is an object: `rows`, with the fields of the operation's rows, `isCut` (whether there are more than ``mostRows``), `notes`,
/// and `outcome`.
struct APIRead: Sendable {
  /// A parameter and what it means.
  struct Parameter: Sendable {
    let name: String
    let meaning: String

    init(_ name: String, _ meaning: String) { (self.name, self.meaning) = (name, meaning) }
  }

  /// The most rows of an answer.
  static let mostRows = 10_000

  /// The name of the operation, and the end of the address.
  let name: String
  let parameters: [Parameter]
  /// The fields of its rows, in order.
  let fields: [String]
  let answer: @Sendable (APIParameters, Workspace) async throws -> LocalResponse

  /// - Parameter make: makes the operation of the parameters.
  init<Operation: KithOperation>(
    _ parameters: [Parameter],
    _ make: @escaping @Sendable (APIParameters, Workspace) async throws -> Operation
  ) where Operation.Row: OperationRow {
    let parameters =
      parameters + [Parameter("account", "the signed-in account that asks; the current one by default")]
    (name, self.parameters, fields) = (Operation.name, parameters, Operation.Row.fieldNames)
    answer = { given, workspace in
      try given.check(parameters.map(\.name))
      return .run(try await GatheredRun(try await make(given, workspace), in: workspace, most: Self.mostRows))
    }
  }

  // MARK: The list

  private static let actor = Parameter("actor", "handle or DID")
  private static let predicate = Parameter("where", "a predicate")

  /// Every question. A change, and what uses up a secret, is none.
  static let all: [APIRead] = [
    APIRead([
      actor, Parameter("target", "handle or DID; may be repeated, up to 1,000 times"),
    ]) { given, _ in
      let targets = given.texts("target")
      guard (1...1_000).contains(targets.count) else {
        throw DashboardError.invalid("target", "1 to 1,000 of them are needed")
      }
      var check = CheckRelationships(
        of: try given.neededActor("actor"), targets: TargetStream(origins: targets.map { .argument($0) }))
      check.wantsRows = true
      return check
    },
    APIRead([
      actor,
      Parameter(
        "listing", "followers, following, mutuals, notFollowingBack, notFollowedBack, blocks or mutes"),
      predicate, Parameter("limit", "rows, 100 by default"),
      Parameter("cursor", "where an earlier answer ended"),
      Parameter("counts", "true to add the counts of profiles, one call for 25 rows"),
    ]) { given, workspace in
      var query = try given.listing(of: try given.neededActor("actor"))
      if let predicate = try given.predicate("where", now: workspace.time.instant) {
        query = query.narrowed(to: predicate)
      }
      let cursor = try given.text("cursor").map { text throws(DashboardError) in
        guard let cursor = ListingCursor(text) else { throw .invalid("cursor", "no answer ended there") }
        return cursor
      }
      return ListAccounts(
        query, details: given.text("counts") == "true" ? [.counts, .relationship] : [.relationship],
        limit: try given.number("limit", upTo: mostRows) ?? 100, from: cursor)
    },
    APIRead([Parameter("actor", "handle or DID; may be repeated, up to 100 times")]) { given, workspace in
      let actors = given.texts("actor")
      guard (1...100).contains(actors.count) else {
        throw DashboardError.invalid("actor", "1 to 100 of them are needed")
      }
      var accounts: [DID] = []
      for text in actors {
        guard let name = ATIdentifier(text) else {
          throw DashboardError.invalid(text, "this is not a handle or DID")
        }
        accounts.append(try await workspace.identities.did(of: name))
      }
      return CountListings(of: accounts)
    },
    APIRead([actor]) { given, _ in ShowProfile(try given.neededActor("actor")) },
    APIRead([]) { _, _ in ListSignedInAccounts() },
    APIRead([Parameter("all", "true for old jobs, too")]) { given, _ in
      ListJobs(all: given.text("all") == "true")
    },
    APIRead([Parameter("job", "number of a job")]) { given, _ in
      guard let job = try given.job("job") else {
        throw DashboardError.invalid("job", "this parameter is needed")
      }
      return ShowJob(job)
    },
    APIRead([]) { _, _ in ListTimedChanges() },
    APIRead([actor, Parameter("limit", "rows, 100 by default")]) { given, workspace in
      ListChanges(
        of: try await workspace.identities.did(of: try given.neededActor("actor")),
        limit: try given.number("limit", upTo: mostRows) ?? 100)
    },
    APIRead([]) { _, _ in ListWatchedAccounts() },
    APIRead([]) { _, _ in ListStreams() },
    APIRead([actor]) { given, _ in ShowLists(of: try given.actor("actor")) },
    APIRead([actor, predicate, Parameter("limit", "rows, 100 by default")]) { given, workspace in
      ListFriends(
        of: try given.neededActor("actor"), where: try given.predicate("where", now: workspace.time.instant),
        limit: try given.number("limit", upTo: mostRows) ?? 100)
    },
    APIRead([actor, predicate, Parameter("limit", "rows, 100 by default")]) { given, workspace in
      ListSentRequests(
        by: try given.neededActor("actor"), where: try given.predicate("where", now: workspace.time.instant),
        limit: try given.number("limit", upTo: mostRows) ?? 100)
    },
  ]
}

extension APIParameters {
  /// A listing of an account, by its name.
  private enum Listing: String, CaseIterable {
    case followers, following, mutuals, notFollowingBack, notFollowedBack, blocks, mutes
  }

  fileprivate func listing(of actor: ATIdentifier) throws(DashboardError) -> ListingQuery {
    switch try word("listing", of: Listing.self) ?? .followers {
    case .followers: ListingQuery(.followers(of: actor))
    case .following: ListingQuery(.follows(of: actor))
    case .mutuals: .mutuals(of: actor)
    case .notFollowingBack: .notFollowingBack(actor)
    case .notFollowedBack: .notFollowedBack(by: actor)
    case .blocks: ListingQuery(.blocks(of: actor))
    case .mutes: ListingQuery(.mutes(of: actor))
    }
  }
}

extension LocalResponse {
  /// What a run has said: `rows`, `isCut`, `notes`, `outcome`.
  static func run<Row: OperationRow, Outcome: OperationOutcome>(
    _ run: GatheredRun<Row, Outcome>
  ) -> LocalResponse {
    var body = Array("{\"rows\":".utf8)
    body.append(rows: run.rows)
    body += ",\"isCut\":\(run.isCut),\"notes\":".utf8
    body.append(rows: run.notes)
    body += ",\"outcome\":".utf8
    OutputValue.object(
      run.outcome.ending.fields + [OutputField("error", .cause(run.isCut ? nil : run.outcome.interruption))]
        + run.outcome.fields
    ).appendJSON(to: &body)
    body.append(UInt8(ascii: "}"))
    return LocalResponse(body: body)
  }
}

extension [UInt8] {
  /// Appends rows as an array.
  fileprivate mutating func append<Row: OperationRow>(rows: [Row]) {
    var encoder = RowEncoder(Row.fieldNames, style: .json)
    append(UInt8(ascii: "["))
    for (position, row) in rows.enumerated() {
      if position > 0 { append(UInt8(ascii: ",")) }
      encoder.encode(row)
      append(contentsOf: encoder.bytes)
    }
    append(UInt8(ascii: "]"))
  }
}
