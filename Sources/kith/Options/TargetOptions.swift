// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Relationships

/// Options that name targets other than as arguments.
struct TargetOptions: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp("Targets from a file, one a line; - is stdin. May be repeated.", valueName: "file"),
    completion: .file())
  var files: [String] = []

  @Option(help: ArgumentHelp("Files are CSV with a header; take this column.", valueName: "name"))
  var column: String?

  @Option(help: ArgumentHelp("Everybody whom this actor follows. May be repeated.", valueName: "actor"))
  var followsOf: [String] = []

  @Option(help: ArgumentHelp("Everybody who follows this actor. May be repeated.", valueName: "actor"))
  var followersOf: [String] = []

  @Option(help: ArgumentHelp("Everybody on this list. May be repeated.", valueName: "at-uri"))
  var list: [String] = []

  mutating func validate() throws {
    if column != nil, files.isEmpty {
      throw ValidationError("--column names a column of a file; add --from FILE.")
    }
  }

  /// Whether any option brings targets.
  var isEmpty: Bool { files.isEmpty && followsOf.isEmpty && followersOf.isEmpty && list.isEmpty }
}
