// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of every command that changes relationships.
struct ChangeOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Print what would be written, and write nothing.")
  var dryRun = false

  @Flag(name: [.customShort("y"), .long], help: "Do not ask whether it is meant so.")
  var yes = false

  @Option(
    help: ArgumentHelp(
      "The share of the hourly and daily points to leave for other use.", discussion: "Default: 20%.",
      valueName: "share"),
    transform: Share.init(parsing:))
  var leave: Share?

  @Flag(
    help: "Where the points are used up, end with 75 and the time instead of waiting; kith jobs resumes it.")
  var noWait = false
}
