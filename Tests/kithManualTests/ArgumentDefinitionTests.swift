// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import kith
@testable import kith_manual

/// What swift-argument-parser checks of all definitions in debug builds, for builds for tests without `DEBUG`.
@Suite struct ArgumentDefinitionTests {
  private func commands(
    from command: CommandInfo, behind path: [String] = []
  ) -> [(path: String, arguments: [ArgumentInfo])] {
    let path = path + [command.commandName]
    return [(path.joined(separator: " "), command.arguments ?? [])]
      + (command.subcommands ?? []).flatMap { commands(from: $0, behind: path) }
  }

  /// Names are unique, nothing follows an argument that takes all the rest, and no flag is set from the start.
  @Test func everyArgumentOfEveryCommandCanBeGiven() throws {
    let tree = try JSONDecoder().decode(CommandTree.self, from: Data(Kith._dumpHelp().utf8))
    let commands = commands(from: tree.command)
    let faults = commands.flatMap { path, arguments in
      let names = arguments.flatMap { $0.names ?? [] }.map { "\($0.kind) \($0.name)" }
      let repeated = Dictionary(grouping: names, by: \.self).filter { $0.value.count > 1 }.keys
      let hidden = arguments.filter { $0.kind == .positional }.drop { !$0.isRepeating }.dropFirst()
      let set = arguments.filter { $0.kind == .flag && $0.defaultValue == "true" }
      return (repeated + (Array(hidden) + set).map { $0.valueName ?? $0.names?.first?.name ?? "" })
        .map { "\(path): \($0)" }
    }
    #expect(faults == [])
    #expect(commands.count > 100)
  }
}
