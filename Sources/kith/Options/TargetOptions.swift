// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// Options that name targets other than as arguments.
struct TargetOptions: ParsableArguments {
  @OptionGroup var input: InputOptions

  @Option(
    help: ArgumentHelp(
      "Ask again for the rows with state error in an earlier ndjson output, and print those; - is stdin.",
      valueName: "file"),
    completion: .file())
  var retryErrors: String?

  /// Whether no option here brings targets.
  var isEmpty: Bool { input.files.isEmpty && retryErrors == nil }

  /// Checks what only arguments and options together show.
  func validate(with names: some Collection<String>, _ sources: AccountSources) throws {
    if retryErrors != nil, !input.files.isEmpty || !sources.isEmpty || !names.isEmpty {
      throw ValidationError(
        "--retry-errors asks again for what failed in that run; leave the other targets out.")
    }
    try input.validate(with: names)
  }

  /// Where targets come from that need no call to be listed, each file opened already.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func origins(with names: [TargetStream.Origin]) throws(CommandFault) -> [TargetStream.Origin] {
    if let retryErrors { return [.failedRows(try ByteSource(path: retryErrors))] }
    return try input.origins(with: names)
  }
}
