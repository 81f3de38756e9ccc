// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// A command that changes relationships of the signed-in account with all members of lists.
protocol ListChangeCommand: RowCommand {
  static var kind: ChangeLists.Kind { get }
  /// Whether lists that are not made for moderation are changed, too.
  var allowsCuration: Bool { get }
  /// The names of the lists.
  var lists: [String] { get }
  var options: ChangeOptions { get }
  var network: NetworkOptions { get }
}

extension ListChangeCommand {
  var printedRow: (any PrintableRow.Type)? { options.explain ? PlanRow.self : ChangeRow.self }

  var allowsCuration: Bool { true }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    var change = ChangeLists(Self.kind, lists)
    change.allowsCuration = allowsCuration
    try await ChangeRun(context: context, options: options).finish(change)
  }
}
