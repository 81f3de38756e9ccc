// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// A command that changes how the signed-in account stands with all members of lists.
protocol ListChangeCommand: AsyncParsableCommand {
  /// What it does.
  static var verb: ChangeVerb { get }
  /// The lists' names.
  var lists: [String] { get }
  var options: ChangeOptions { get }
  var common: CommonOptions { get }

  /// What is wanted of one of the lists.
  func change(_ list: ATURI) -> GraphChange
}

extension ListChangeCommand {
  func run() async throws {
    let wiring = try Wiring(common, environment: ProcessEnvironment.current)
    let wishes = try lists.map { name in
      ChangeWish(input: name, change: .success(change(try ListInput(parsing: name).uri)))
    }
    let account = try await wiring.account()
    let run = ChangeRun(wiring: wiring, common: common, options: options, verb: Self.verb)
    let status = try await run.perform(wishes, as: account)
    if status != .success { throw CommandFault(status) }
  }
}
