// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithOperations

/// Options that read accounts from files and lists.
struct MemberOptions: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "Read accounts from a file, one per line (- is stdin), or from a list or starter pack, by AT-URI or URL.",
      valueName: "file|list"),
    completion: .file())
  var places: [String] = []

  @Option(help: .column, completion: .column)
  var column: String?

  @Flag(help: .skipInvalid)
  var skipInvalid = false

  @OptionGroup var selection: SelectionOptions

  /// Whether a source is a list rather than a file.
  private static func isList(_ place: String) -> Bool {
    ["at://", "https://", "http://"].contains { place.hasPrefix($0) } && !InputOptions.isFile(place)
  }

  /// The sources that are lists.
  var lists: [String] { places.filter(Self.isList) }

  private var input: InputOptions {
    var input = InputOptions()
    input.files = places.filter { !Self.isList($0) }
    input.column = column
    return input
  }

  /// Validates arguments and options together.
  func validate(with names: some Collection<String>) throws {
    try input.validate(with: names)
    try selection.validate(beside: names, files: places)
  }

  /// The sources of accounts other than lists: arguments, then files.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func files(
    with names: [TargetStream.Origin], in process: RunContext
  ) throws(CommandFault) -> [TargetStream.Origin] {
    try input.origins(with: names, in: process)
  }
}
