// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// Options that name actors by files, beside those that are named as arguments.
struct InputOptions: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Take them from a file, one a line; - is stdin. May be repeated.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(
    help: ArgumentHelp("Files and stdin are CSV with a header line; take this column.", valueName: "name"))
  var column: String?

  @Flag(help: "Skip names that are not valid, with a warning, instead of failing.")
  var skipInvalid = false

  /// Checks what only arguments and options together show.
  func validate(with names: some Collection<String>) throws {
    let stdins = names.count { $0 == "-" } + files.count { $0 == "-" }
    if stdins > 1 { throw ValidationError("stdin (-) can be read once only; leave the others out.") }
    if column != nil, files.isEmpty, stdins == 0 {
      throw ValidationError("--column names a column of a file; add --from FILE, or - for stdin.")
    }
  }

  /// Where actors come from: the arguments, then the files, each opened already.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func origins(with names: [TargetStream.Origin]) throws(CommandFault) -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for name in names {
      if case .argument("-") = name {
        origins.append(.file(try ByteSource(path: "-"), column: column))
      } else {
        origins.append(name)
      }
    }
    for path in files { origins.append(.file(try ByteSource(path: path), column: column)) }
    return origins
  }
}
