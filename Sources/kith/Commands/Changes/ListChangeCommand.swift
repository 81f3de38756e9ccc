// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting
import Relationships

/// A command that changes relationships of the signed-in account with all members of lists.
protocol ListChangeCommand: RowCommand {
  /// The verb for rows, questions and jobs.
  static var verb: ChangeVerb { get }
  /// Whether the list has to exist; a deleted list can still be unblocked or unmuted.
  static var needsList: Bool { get }
  /// The names of the lists.
  var lists: [String] { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }

  /// The change for one list.
  func change(_ list: ATURI) -> ChangeIntent
}

extension ListChangeCommand {
  var printedRow: (any PrintableRow.Type)? { options.cost.explain ? PlanRow.self : ChangeRow.self }

  static var needsList: Bool { false }

  func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let account = try await wiring.account()
    if options.cost.explain { return try await explain(wiring, as: account) }
    var requests: [RequestedChange] = []
    for name in lists {
      let list: ATURI
      if let record = Self.record(name) {
        list = record
      } else {
        list = try await wiring.list(named: name, of: account)
      }
      let isThere = Self.needsList ? try await wiring.hasRecord(list) : true
      requests.append(
        RequestedChange(
          input: name,
          change: isThere
            ? .success(change(list)) : .failure(CommandFault(.notFound, .noSuchList(list, isOwn: false)))))
    }
    let run = ChangeRun(wiring: wiring, options: options, verb: Self.verb)
    try await run.finish(requests, as: account)
  }

  private func explain(_ wiring: Wiring, as account: AuthorizedAccount) async throws {
    let namesOwn = try lists.contains { try Self.record($0) == nil && RecordInput(parsing: $0) == nil }
    var explanation = try await ChangeExplanation(
      wiring, options, as: account, reading: namesOwn ? .lists : [])
    for name in lists {
      let list = try Self.record(name) ?? explanation.addNaming(of: name)
      if Self.needsList { explanation.addRecord(of: list.collection ?? .list) }
      explanation.add(change(list))
    }
    try await explanation.print()
  }

  /// The listblock record, which some servers return in place of the list (Q6).
  private static func record(_ name: String) -> ATURI? {
    ATURI(name).flatMap { $0.collection?.description == "app.bsky.graph.listblock" ? $0 : nil }
  }
}
