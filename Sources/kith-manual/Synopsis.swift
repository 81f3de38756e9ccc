// SPDX-License-Identifier: Apache-2.0

/// How a command is called, as escaped text.
struct Synopsis {
  let text: String

  init(_ entry: Manual.Entry) {
    let command = entry.command
    let arguments = command.visibleArguments
    var parts = [Roff.bold(entry.invocation)]
    if let subcommands = command.subcommands, !subcommands.isEmpty {
      let place = Roff.italic("command")
      parts.append(command.defaultSubcommand == nil ? place : "[\(place)]")
    }
    for option in arguments where option.kind == .option && !option.isOptional {
      parts.append(option.heading)
    }
    parts.append("[\(Roff.italic("options"))]")
    for argument in arguments where argument.kind == .positional {
      parts.append(argument.isOptional ? "[\(argument.heading)]" : argument.heading)
    }
    text = parts.joined(separator: " ")
  }
}
