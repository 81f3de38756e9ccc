// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import KithOperations

/// Options that read accounts from files, in addition to arguments.
struct InputOptions: ParsableArguments {
  @Option(name: .customLong("from"), help: .from, completion: .file())
  var files: [String] = []

  @Option(help: .column, completion: .column)
  var column: String?

  @Flag(help: .skipInvalid)
  var skipInvalid = false

  /// Validates arguments and options together.
  func validate(with names: some Collection<String>) throws {
    if let list = files.first(where: { $0.contains("://") && !Self.isFile($0) }) {
      throw ValidationError(
        "--from reads a file; for the members of a list use \(list.asValue(of: "--list")).")
    }
    let stdins = names.count { $0 == "-" } + files.count { $0 == "-" }
    if stdins > 1 { throw ValidationError("stdin (-) can be read only once; omit the others.") }
    if column != nil, files.isEmpty, stdins == 0 {
      throw ValidationError("--column needs a file; add --from FILE, or - for stdin.")
    }
  }

  /// Whether there is a file of that name, whatever the name looks like.
  static func isFile(_ path: String) -> Bool { access(path, F_OK) == 0 }

  /// The sources of accounts: arguments, then files, all of them open.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func origins(
    with names: [TargetStream.Origin], in process: RunContext
  ) throws(CommandFault) -> [TargetStream.Origin] {
    var origins: [TargetStream.Origin] = []
    for name in names {
      if case .argument("-") = name {
        origins.append(.file(try process.file("-"), column: column))
      } else {
        origins.append(name)
      }
    }
    for path in files { origins.append(.file(try process.file(path), column: column)) }
    return origins
  }
}
