// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithRelationships

/// Options of `kith check` that define the question.
struct QuestionOptions: ParsableArguments {
  @Option(
    name: .customLong("is"),
    help: ArgumentHelp(
      "Answer with the exit code, 0 yes, 1 no: following, followed-by, mutual, blocking, blocked-by, blocked, muted (by yourself), friend, requested, requested-by, none, or a combination with and, or, not.",
      valueName: "relation"),
    completion: .relation, transform: Relation.init(parsing:))
  private var relations: [Relation] = []

  /// What is asked about each target; nil for nothing.
  var predicate: AccountPredicate? { relations.first?.predicate }

  @Flag var quantifier = Quantifier.all

  @Flag(
    help: """
      Check whether accounts exist (1 extra call per 25, and 1 per missing account). The account and a \
      single target are always checked.
      """)
  var verify = false

  @Flag(
    help: """
      Look up handles and names of targets that do not come from a listing (1 extra call per 25).
      """)
  var names = false

  @Option(parsing: .unconditional, help: ArgumentHelp("Number of parallel calls, 1 to 64.", valueName: "n"))
  var concurrency = 8

  @Flag(
    help:
      "Fill in friend, requested and requestedBy (1 extra call for each target, and more where there is a request)."
  )
  var requests = false

  @Flag(help: "Stop at the first failed lookup.")
  var failFast = false

  @Flag(help: .explain) var explain = false

  @Option(help: .graph, completion: .graph)
  var graph: [FollowGraph] = []

  @Option(help: .compareAppview)
  var compareAppview: String?

  /// A question, as it was written.
  struct Relation: Sendable {
    let text: String
    let predicate: AccountPredicate

    init(parsing text: String) throws {
      self.text = text
      predicate = try QuestionOptions.predicate(text)
    }
  }

  /// Parses `--is`: a predicate about the relationship alone, which every answer contains.
  static func predicate(_ text: String) throws -> AccountPredicate {
    let predicate: AccountPredicate
    do throws(PredicateError) {
      predicate = try AccountPredicate(parsing: text, now: Datetime(at: .epoch))
    } catch {
      throw ValidationError("error at \(error)")
    }
    guard predicate.needs.areOnlyRelationships(to: .actor) else {
      throw ValidationError(
        "use relationships between the account and its target, such as \"mutual and not blocked\"")
    }
    return predicate
  }

  mutating func validate() throws {
    if relations.count > 1 {
      let texts = relations.map { "\"\($0.text)\"" }.joined(separator: " and ")
      let whole = relations.map(\.text).joined(separator: " and ")
      throw ValidationError(
        "--is is given more than once: \(texts); ask one question, such as --is \"\(whole)\".")
    }
    if quantifier == .any, predicate == nil {
      throw ValidationError("--any needs --is RELATION.")
    }
    try concurrency.check(isIn: 1...64, for: "--concurrency")
  }
}
