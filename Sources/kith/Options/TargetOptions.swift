// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// Options that name targets other than as arguments.
struct TargetOptions: ParsableArguments {
  @OptionGroup var input: InputOptions

  @Option(help: ArgumentHelp("Everybody whom this actor follows. May be repeated.", valueName: "actor"))
  var followsOf: [String] = []

  @Option(help: ArgumentHelp("Everybody who follows this actor. May be repeated.", valueName: "actor"))
  var followersOf: [String] = []

  @Option(help: ArgumentHelp("Everybody on this list. May be repeated.", valueName: "at-uri"))
  var list: [String] = []

  /// Whether any option brings targets.
  var isEmpty: Bool { input.files.isEmpty && followsOf.isEmpty && followersOf.isEmpty && list.isEmpty }

  /// The listings that are asked for.
  ///
  /// - Throws: ``CommandFault`` or `InputError` for one that names nothing.
  func listings() throws -> [ActorListing.Kind] {
    try followsOf.map { .follows(of: try ActorInput(parsing: $0).identifier) }
      + followersOf.map { .followers(of: try ActorInput(parsing: $0).identifier) }
      + list.map { text in
        do throws(SyntaxError) {
          return .members(of: try ATURI(parsing: text))
        } catch {
          throw CommandFault(
            .badInput,
            "--list \(text): \(error.reason); a list is named as at://DID/app.bsky.graph.list/KEY")
        }
      }
  }
}
