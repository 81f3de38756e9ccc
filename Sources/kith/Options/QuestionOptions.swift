// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// Options of `kith check` that say what is asked, and how.
struct QuestionOptions: ParsableArguments {
  @Option(
    name: .customLong("is"),
    help: ArgumentHelp(
      "Answer by the exit code, 0 yes, 1 no: following, followed-by, mutual, blocking, blocked-by, blocked, muted (by yourself), none, or what is made of them by and, or, not.",
      valueName: "relation"),
    transform: Self.predicate)
  var predicate: AccountPredicate?

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

  /// Reads what `--is` says: a question about the relationship alone, which every answer brings.
  static func predicate(_ text: String) throws -> AccountPredicate {
    let predicate: AccountPredicate
    do throws(PredicateError) {
      predicate = try AccountPredicate(parsing: text, now: Datetime(microsecondsSinceEpoch: 0))
    } catch {
      throw ValidationError("it goes wrong at \(error)")
    }
    guard predicate.needs.areOnlyRelationships(to: .actor) else {
      throw ValidationError(
        "it takes what is between the actor and its target, as \"mutual and not blocked\"")
    }
    return predicate
  }

  mutating func validate() throws {
    if quantifier == .any, predicate == nil {
      throw ValidationError("--any goes with --is RELATION.")
    }
    if !(1...64).contains(concurrency) {
      throw ValidationError("--concurrency takes a whole number from 1 to 64, not \(concurrency).")
    }
  }
}
