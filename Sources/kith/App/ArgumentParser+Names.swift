// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

// The argument parser has no public members for these, only underscored ones, which any version may change.
// They are used in this file only.

extension CommandConfiguration {
  /// The configuration of a command that follows `kith`. Help and errors show both names, as in `kith check`,
  /// although the command parses its arguments by itself.
  init(
    verb: String, abstract: String, discussion: String, subcommands: [any ParsableCommand.Type] = [],
    defaultSubcommand: (any ParsableCommand.Type)? = nil
  ) {
    self.init(
      commandName: verb, _superCommandName: Program.name, abstract: abstract, discussion: discussion,
      subcommands: subcommands, defaultSubcommand: defaultSubcommand)
  }
}

extension ParsableCommand {
  /// The name that is typed, without those of the commands before it.
  static var commandName: String { _commandName }

  /// The subcommands that help and completion show.
  static var shownSubcommands: [any ParsableCommand.Type] {
    configuration.subcommands.filter { $0.configuration.shouldDisplay }
  }
}

extension AsyncParsableCommand {
  /// The messages of the argument parser start like all others.
  static var _errorPrefix: String { Program.messagePrefix }
}
