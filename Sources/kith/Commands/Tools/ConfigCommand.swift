// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithCore
import KithOperations
import KithRelationships

/// `kith config`: defaults of options.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    verb: "config",
    abstract: "Show and set defaults of options.",
    discussion: """
      What you repeat with every command goes into the file settings in XDG_CONFIG_HOME/kith, which only you can read \
      and write. An option on the command line comes first, then its environment variable, then the file; there, what is \
      for one account comes before what is for all. Settings: \(Setting.allCases.map(\.rawValue).joined(separator: ", ")). \
      Never --yes, nor what allows something, nor a server: a file must not decide where passwords and tokens go.

        kith config
        kith config set leave 50%
        kith config set contact me@alice.test --for alice.test
        kith config unset leave

      Fields: name, value, for (the account; null for every account), path (of the file).
      """,
    subcommands: [ConfigListCommand.self, ConfigSetCommand.self, ConfigUnsetCommand.self],
    defaultSubcommand: ConfigListCommand.self)
}

/// `kith config list`.
struct ConfigListCommand: RowCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "Show the settings.")

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { SettingRow.self }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let file = try SettingsFile(in: process.environment)
    let entries = try file.read().entries
    try await context.printing(SettingRow.self) { printer in
      for entry in entries { try printer.print(SettingRow(entry: entry, path: file.path)) }
    }
    if entries.isEmpty, !common.quiet { context.report(.noSettings(file.path)) }
  }
}

/// `kith config set`.
struct ConfigSetCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set the default of an option.",
    discussion: """
      A flag is on or off.

        kith config set format table
        kith config set leave 50% --for alice.test
      """)

  @Argument(help: ArgumentHelp("The option, without its dashes.", valueName: "name")) var name: String
  @Argument(help: ArgumentHelp("Its value; on or off for a flag.", valueName: "value")) var value: String

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For this account alone: its handle or DID.", valueName: "account"),
    completion: .account)
  var account: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let file = try SettingsFile(in: process.environment)
    let setting = try Setting(named: name)
    if setting == .account, account != nil { throw CommandFault(.usage, .accountForAccount) }
    let account = try account.map(Setting.account(named:))
    try setting.check(value)
    var settings = try file.read()
    settings.set(setting, to: value, for: account)
    try file.write(settings)
    if !common.quiet { context.report(.settingsWritten(file.path)) }
  }
}

/// `kith config unset`.
struct ConfigUnsetCommand: RowCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Remove the default of an option.")

  @Argument(help: ArgumentHelp("The option, without its dashes.", valueName: "name")) var name: String

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("The setting for this account alone.", valueName: "account"), completion: .account)
  var account: String?

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  func run(in process: RunContext) async throws {
    let context = try CommandContext(common, network, process)
    let file = try SettingsFile(in: process.environment)
    let setting = try Setting(named: name)
    var settings = try file.read()
    guard settings.remove(setting, for: try account.map(Setting.account(named:))) else {
      throw CommandFault(.badInput, .noSuchSetting(setting.rawValue, file.path))
    }
    try file.write(settings)
    if !common.quiet { context.report(.settingsWritten(file.path)) }
  }
}

extension Setting {
  /// - Throws: ``CommandFault`` that says why the option is not a setting.
  fileprivate init(named name: String) throws(CommandFault) {
    let plain = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
    guard let setting = Setting(rawValue: plain) else {
      throw CommandFault(.badInput, .unknownSetting(name, Setting.objection(to: plain)))
    }
    self = setting
  }

  /// The handle or DID of an account, as it stands in the file.
  fileprivate static func account(named text: String) throws(CommandFault) -> String {
    do throws(InputError) { return try ActorInput(parsing: text).identifier.description } catch {
      throw CommandFault(.badInput, .invalidAccountOption(error))
    }
  }

  /// Checks a value by giving it to a command that has the option.
  ///
  /// - Throws: ``CommandFault`` with what the parser says.
  fileprivate func check(_ value: String) throws(CommandFault) {
    if isFlag {
      if value == "on" || value == "off" { return }
      throw CommandFault(.badInput, .invalidSetting(rawValue, value, "use on or off"))
    }
    if value.contains(where: \.isNewline) || value.isEmpty {
      throw CommandFault(.badInput, .invalidSetting(rawValue, value, "a value is one line"))
    }
    let command: any ParsableCommand.Type
    var words = ["--\(rawValue)=\(value)"]
    switch self {
    case .leave, .points, .patience: (command, words) = (FollowCommand.self, ["a.test"] + words)
    case .range, .by, .sample, .theme, .timeZone: command = StatsCommand.self
    default: (command, words) = (CheckCommand.self, ["a.test", "b.test"] + words)
    }
    do { _ = try command.parseAsRoot(words) } catch {
      throw CommandFault(.badInput, .invalidSetting(rawValue, value, command.message(for: error)))
    }
  }
}

/// A setting, as a row.
struct SettingRow: PrintableRow {
  let entry: Settings.Entry
  let path: String

  static let fieldNames = ["name", "value", "for", "path"]
  static let headings = ["NAME", "VALUE", "FOR"]

  func write(to fields: inout RowEncoder) {
    fields.text(entry.option.rawValue)
    fields.text(entry.value)
    fields.text(entry.account)
    fields.text(path)
  }

  func tableRow(at now: Datetime) -> TableRow {
    TableRow(cells: [
      TableRow.Cell(entry.option.rawValue), TableRow.Cell(entry.value),
      TableRow.Cell(entry.account ?? "every account"),
    ])
  }
}
