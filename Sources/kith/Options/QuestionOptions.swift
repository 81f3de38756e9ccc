// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options of `kith check` that say what is asked, and how.
struct QuestionOptions: ParsableArguments {
  @Option(
    name: .customLong("is"),
    help: ArgumentHelp("Answer by the exit code: 0 yes, 1 no.", valueName: "relation"))
  var predicate: Predicate?

  @Flag var quantifier = Quantifier.all

  @Flag(
    help: """
      Tell accounts that do not exist from those without a relationship, at one call more for every 25, and \
      one for each that is missing there. The actor and an only target are always told.
      """)
  var verify = false

  @Flag(
    help: """
      Look up the handles and names of targets that were not named by a listing, at one call more for every 25.
      """)
  var names = false

  @Option(help: ArgumentHelp("Calls under way at once, 1 to 64.", valueName: "n"))
  var concurrency = 8

  @Flag(help: "Stop at the first target that could not be learned.")
  var failFast = false

  @OptionGroup var cost: ExplainOptions

  mutating func validate() throws {
    if quantifier == .any, predicate == nil {
      throw ValidationError("--any goes with --is RELATION.")
    }
    if !(1...64).contains(concurrency) {
      throw ValidationError("--concurrency takes a whole number from 1 to 64, not \(concurrency).")
    }
  }
}
