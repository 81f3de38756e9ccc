// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import RelationshipWriting

/// `kith lists edit`: have a list say something else about itself.
struct ListsEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change the name or description of a list of yours.",
    discussion: """
      All else that its record says stays as it is. What a list is for cannot be changed: whoever was put on a \
      list to be read would be moderated by it.

        kith lists edit Noise --name Racket
        kith lists edit Noise --description ""

      Fields of each row: verb, input, subject, state (done, unchanged, planned, refused, failed, notFound, \
      error, pending, inDoubt, cancelled), writes, notes, job, error. With --explain: step, collection, calls, \
      targets, bytes, points, seconds, estimate.
      """)

  static let verb = ChangeVerb(name: "lists edit", participle: "changed", noun: "list")

  @Argument(help: "The list, by its name, AT-URI or URL.") var list: String

  @Option(help: ArgumentHelp("Its new name, 1 to 64 bytes.", valueName: "name")) var name: String?

  @Option(
    help: ArgumentHelp("What it is to say about itself; an empty text for nothing.", valueName: "text"))
  var description: String?

  @OptionGroup(title: "Change") var options: ChangeOptions
  @OptionGroup var common: CommonOptions

  func validate() throws {
    if name == nil, description == nil {
      throw ValidationError("What is to be changed? Add --name or --description.")
    }
  }

  func run() async throws {
    let wiring = try Wiring(common, environment: RunContext.current.environment)
    let account = try await wiring.account()
    let edit = ListEdit(name: name, description: description)
    if options.cost.explain {
      var explanation = try await ChangeExplanation(wiring, options, as: account, reading: .lists)
      explanation.add(.list(.edit(try explanation.addNaming(of: list), edit)))
      return try await explanation.print()
    }
    let uri = try await wiring.list(named: list, of: account)
    let run = ChangeRun(wiring: wiring, options: options, verb: Self.verb)
    try await run.finish(
      [RequestedChange(input: list, change: .success(.list(.edit(uri, edit))))], as: account)
  }
}
