// SPDX-License-Identifier: Apache-2.0

/// What pages show of the output of swift-argument-parser's `--experimental-dump-help`.
///
/// The package has these types in `ArgumentParserToolInfo`, which is not a product of it.
struct CommandTree: Decodable {
  var command: CommandInfo
}

/// A command and all below it.
struct CommandInfo: Decodable {
  var commandName: String
  var shouldDisplay: Bool?
  var abstract: String?
  var discussion: String?
  var defaultSubcommand: String?
  var subcommands: [CommandInfo]?
  var arguments: [ArgumentInfo]?

  /// The arguments that help shows.
  var visibleArguments: [ArgumentInfo] { (arguments ?? []).filter(\.shouldDisplay) }
}

/// An argument, option or flag.
struct ArgumentInfo: Decodable {
  enum Kind: String, Decodable {
    case positional, option, flag
  }

  struct Name: Decodable {
    enum Kind: String, Decodable {
      case long, short, longWithSingleDash
    }

    var kind: Kind
    var name: String
  }

  /// How a shell completes it; of all kinds only a list says something about its values.
  struct Completion: Decodable {
    struct List: Decodable {
      var values: [String]
    }

    var list: List?
  }

  var kind: Kind
  var shouldDisplay: Bool
  var isOptional: Bool
  var isRepeating: Bool
  var sectionTitle: String?
  var names: [Name]?
  var valueName: String?
  var defaultValue: String?
  var allValues: [String]?
  var completionKind: Completion?
  var abstract: String?
  var discussion: String?
}
