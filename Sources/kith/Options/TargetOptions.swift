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
      + list.map { .members(of: try Self.list($0)) }
  }

  private static func list(_ text: String) throws(CommandFault) -> ATURI {
    func fault(_ reason: String) -> CommandFault {
      CommandFault(
        .badInput, "--list \(text): \(reason); a list is named as at://DID/app.bsky.graph.list/KEY")
    }
    let uri: ATURI
    do throws(SyntaxError) { uri = try ATURI(parsing: text) } catch { throw fault(error.reason) }
    guard uri.collection?.description == "app.bsky.graph.list", uri.recordKey != nil else {
      throw fault("it names no list")
    }
    return uri
  }
}
