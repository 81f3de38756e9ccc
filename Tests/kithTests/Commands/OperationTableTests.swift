// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KithOperations
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard
@testable import kith

/// The list of operations, the commands that run them, and the documents that name both.
@Suite struct OperationTableTests {
  /// The names of all commands that have no subcommands, such as `lists show`.
  private static let commands = CommandLeaf.all.map(\.line).sorted()

  @Test func eachCommandSaysWhichOperationsItRuns() {
    #expect(Kith.operations.map(\.key).sorted() == Self.commands)
  }

  @Test func eachOperationIsRunByACommand() {
    let run = Set(Kith.operations.flatMap(\.value).map { $0.name })
    #expect(Set(OperationCatalogue.names).subtracting(run) == [])
    #expect(run.subtracting(OperationCatalogue.names) == [])
  }

  @Test func theDashboardRunsWhatItsCommandSays() {
    let said = Set((Kith.operations.first { $0.key == "ui" }?.value ?? []).map { $0.name })
    #expect(Set(APIRead.all.map(\.name)).subtracting(said) == [])
  }

  // MARK: Documents

  private static let docs = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs").standardized

  /// The lines of the table of operations.
  private static var table: String {
    var commands: [String: [String]] = [:]
    for (command, operations) in Kith.operations {
      for operation in operations { commands[operation.name, default: []].append("`\(command)`") }
    }
    return OperationCatalogue.all.map { operation in
      let all = commands[operation.name] ?? []
      let named =
        all.prefix(12).joined(separator: ", ") + (all.count > 12 ? " and \(all.count - 12) more" : "")
      return "| `\(operation.name)` | `\(operation)` | \(named) |\n"
    }.joined()
  }

  /// `make wording` writes the table.
  @Test func theCatalogueOfOperationsStandsInTheDocumentOfTheLibrary() throws {
    let file = Self.docs.appending(path: "LIBRARY.md")
    let head = "| operation | type | commands |\n|---|---|---|\n"
    let text = try String(contentsOf: file, encoding: .utf8)
    var parts = text.components(separatedBy: head)
    try #require(parts.count == 2, "docs/LIBRARY.md lacks the table of operations")
    let end = parts[1].range(of: "\n\n")?.lowerBound ?? parts[1].endIndex
    if WordingCatalogue.isWritten {
      parts[1] = String(Self.table.dropLast() + parts[1][end...])
      try Data(parts.joined(separator: head).utf8).write(to: file)
    }
    #expect(parts[1].hasPrefix(Self.table), "make wording")
  }

  // MARK: Faults

  /// Operations that call servers, but have no row in the tables of faults yet. The list may only shrink.
  private static let withoutFaults: Set<String> = [
    "matchContacts", "followContacts", "importFiles", "changeNotificationSettings", "subscribeToPosts",
    "computeStatistics", "trackGoal", "removeGoal", "countSegments", "approveJob",
  ]

  /// Operations on what is stored here.
  private static let withoutCalls: Set<String> = [
    "dismissPeople", "listDismissedPeople", "listSnapshots", "listChanges", "explainChanges", "watchAccounts",
    "unwatchAccounts", "listWatchedAccounts", "addSegment", "removeSegments", "listSegments", "switchAccount",
    "rejectJob", "listStreams",
  ]

  /// They end when they are cancelled; `FollowLiveTests`, `FollowNotificationsTests`, `LiveHistoryTests` and `RunDaemonTests` try
  /// their faults.
  private static let withoutEnd: Set<String> = ["followLive", "followNotifications", "runDaemon"]

  /// Pages alone run them; `ShowFollowButtonsTests` tries their faults.
  private static let withoutCommand: Set<String> = ["showFollowButtons"]

  @Test func theTablesOfFaultsHaveEachOperationThatCallsServers() throws {
    let operations = Dictionary(Kith.operations.map { ($0.key, $0.value) }) { first, _ in first }
    var tried: Set<String> = []
    for row in FaultCase.all {
      let command = try #require(Self.command(of: row.line), "\(row.line)")
      tried.formUnion(operations[command, default: []].map { $0.name })
    }
    let missing = Set(OperationCatalogue.names).subtracting(tried)
    #expect(
      missing.subtracting(Self.withoutCalls).subtracting(Self.withoutEnd).subtracting(Self.withoutCommand)
        == Self.withoutFaults)
    #expect(Self.withoutCalls.subtracting(OperationCatalogue.names) == [])
  }

  @Test func theTablesOfFaultsAreAboutTheirCases() throws {
    let text = try String(contentsOf: Self.docs.appending(path: "FAULTS.md"), encoding: .utf8)
    let names = FaultCase.all.map { "| `\($0.name)` |" }
    for table in text.components(separatedBy: "| verb |").dropFirst() {
      let rows = table.split(separator: "\n").filter { $0.hasPrefix("| `") }
      #expect(rows.count == names.count)
      for (row, name) in zip(rows, names) { #expect(row.hasPrefix(name), "\(row.prefix(40))") }
    }
  }

  /// The command of a command line; the usual one of a group.
  private static func command(of line: String) -> String? {
    let words = line.split(separator: " ").map(String.init)
    for count in [2, 1] where commands.contains(words.prefix(count).joined(separator: " ")) {
      return words.prefix(count).joined(separator: " ")
    }
    guard let group = Kith.configuration.subcommands.first(where: { $0.commandName == words.first }),
      let usual = group.configuration.defaultSubcommand
    else { return nil }
    return "\(words[0]) \(usual.configuration.commandName ?? usual.commandName)"
  }
}
