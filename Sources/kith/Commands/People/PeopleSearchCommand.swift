// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations
import KithRelationships

/// `kith people search`.
struct PeopleSearchCommand: FindingCommand {
  static let configuration = CommandConfiguration(
    commandName: "search",
    abstract: "Search accounts by handle, name and description.",
    discussion: """
      If you are signed in, accounts that you follow rank higher, and the AppView leaves out accounts with a block \
      without a count. -i completes a name on the terminal while you type, those seen here first; Enter prints the chosen account. With --count-hidden the search is made signed out, and Kith leaves them out and counts them.

        kith people search alice
        kith people search -i
        kith people search "marine biology" --where "followers > 100 and not following with me"
      """)

  @Argument(help: ArgumentHelp("The text.", valueName: "text"))
  var text: [String] = []

  @Flag(
    name: [.customShort("i"), .customLong("interactive")],
    help: "Type ahead on the terminal, and choose one account.")
  var isInteractive = false

  @Flag(help: "Search signed out, so that accounts with a block can be counted.")
  var countHidden = false

  @Flag(help: "Add how many followers each account has, and how many you know (1 extra call per 25).")
  var counts = false

  @OptionGroup(title: "Listing") var options: PeopleOptions
  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  mutating func validate() throws {
    if !isInteractive, text.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) {
      throw ValidationError("The text to search for is empty; name a part of a handle or name.")
    }
  }

  var printedRow: (any PrintableRow.Type)? {
    isInteractive ? AccountViewRow.self : options.explain ? PlanRow.self : PersonRow.self
  }

  func run(in process: RunContext) async throws {
    guard isInteractive else { return try await runFinding(in: process) }
    let context = try CommandContext(common, network, process)
    let names = try await NameSuggestions(in: context.workspace)
    guard let terminal = TerminalPrompt() else { throw CommandFault(.usage, .noTerminal) }
    defer { terminal.end() }
    let prompt = TypeAheadPrompt(terminal: terminal, time: context.time) {
      try await names.matches($0, most: TypeAhead.mostShown)
    }
    guard let chosen = try await prompt.choose(beginningWith: text.joined(separator: " ")) else {
      throw CommandFault(.no)
    }
    try context.print(AccountViewRow(view: chosen, asksRelationship: true))
  }

  func finding(_ context: CommandContext) -> FindPeople {
    FindPeople(
      .search(text.joined(separator: " ")), countingHidden: countHidden, withCounts: counts || namesCounts)
  }

  /// Whether one of the printed fields is a number that a search does not bring.
  private var namesCounts: Bool {
    let fields = common.fields?.split(separator: ",").map { $0.trimmingPrefix(" ") } ?? []
    return fields.contains { ["followers", "follows", "knownFollowers"].contains($0) }
  }
}
