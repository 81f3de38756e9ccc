// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of every command that changes relationships.
struct ChangeOptions: ParsableArguments {
  @Flag(name: [.customShort("n"), .long], help: "Print what would be written, without writing it.")
  var dryRun = false

  @Flag(
    name: [.customShort("y"), .long],
    help: """
      Skip the confirmation prompt. Needed without a terminal, also for more than one account that you have not named.
      """)
  var yes = false

  @Flag(
    help: """
      Record what would be written, for at most a day, and change nothing until kith jobs approve carries out exactly that.
      """)
  var propose = false

  @Flag(help: .explain) var explain = false

  @OptionGroup var points: PointOptions

  mutating func validate() throws {
    if dryRun, explain {
      throw ValidationError("--explain and --dry-run cannot be combined; omit one of them.")
    }
    if propose, dryRun || explain || yes {
      let other = dryRun ? "--dry-run" : yes ? "--yes" : "--explain"
      throw ValidationError("--propose and \(other) cannot be combined; omit one of them.")
    }
  }
}
