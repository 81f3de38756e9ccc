// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// Options that name targets in addition to arguments.
struct TargetOptions: ParsableArguments {
  @Option(name: .customLong("from"), help: .from, completion: .file())
  var files: [String] = []

  @Option(help: .column, completion: .column)
  var column: String?

  @Flag(help: .skipInvalid)
  var skipInvalid = false

  @Option(
    help: ArgumentHelp(
      "Repeat only the rows with state error of an earlier ndjson output; - is stdin.",
      valueName: "file"),
    completion: .file())
  var retryErrors: String?

  /// Whether these options name no targets.
  var isEmpty: Bool { files.isEmpty && retryErrors == nil }

  private var input: InputOptions {
    var input = InputOptions()
    (input.files, input.column) = (files, column)
    return input
  }

  /// Validates arguments and options together.
  func validate(with names: some Collection<String>, _ sources: AccountSources) throws {
    if retryErrors != nil, !files.isEmpty || !sources.isEmpty || !names.isEmpty {
      throw ValidationError(
        "--retry-errors repeats the failed rows of an earlier run; omit other targets.")
    }
    try input.validate(with: names)
  }

  /// The sources of targets that need no network call to list; files are open.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func origins(
    with names: [TargetStream.Origin], in process: RunContext
  ) throws(CommandFault) -> [TargetStream.Origin] {
    if let retryErrors { return [.failedRows(try process.file(retryErrors))] }
    return try input.origins(with: names, in: process)
  }
}
