// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore

/// The file with the settings of the user, which only they can read and write.
struct SettingsFile: Sendable {
  /// A file that people write is not larger.
  private static let mostBytes = 65_536
  private static let name = "settings"

  private let folder: SecureFolder

  /// - Throws: ``CommandFault`` if no variable names a home directory.
  init(in environment: [String: String]) throws(CommandFault) {
    folder = SecureFolder(path: try UserFolder.config.path(in: environment))
  }

  var path: String { folder.path(of: Self.name) }

  /// The settings; empty without a file.
  ///
  /// - Throws: ``CommandFault`` if the file cannot be read, or others can write to it.
  func read() throws(CommandFault) -> Settings {
    let bytes: [UInt8]?
    do throws(SecureFolderError) { bytes = try folder.read(Self.name, limit: Self.mostBytes) } catch {
      throw fault(error)
    }
    guard let bytes else { return Settings() }
    do throws(Settings.Fault) {
      return try Settings(parsing: String(decoding: bytes, as: UTF8.self))
    } catch {
      throw CommandFault(.badInput, .settingsUnreadable(path, line: error.line, error.reason))
    }
  }

  /// Replaces the file.
  ///
  /// - Throws: ``CommandFault``; the former file is then still there.
  func write(_ settings: Settings) throws(CommandFault) {
    do throws(SecureFolderError) {
      try folder.create()
      try folder.write(Array(settings.text.utf8), to: Self.name)
    } catch {
      throw fault(error)
    }
  }

  private func fault(_ error: SecureFolderError) -> CommandFault {
    CommandFault(.fileTrouble, .settingsUnsafe(error))
  }
}

extension Settings {
  /// The options that a command gets besides its arguments: those of the file that it has, and that neither an argument
  /// nor a variable names.
  ///
  /// - Parameter names: the handle and DID of the account to act as.
  func words(
    for command: any ParsableCommand.Type, beside arguments: some Sequence<String>,
    in environment: [String: String], as names: Set<String>
  ) -> [String] {
    let defaults = defaults(for: names)
    if defaults.isEmpty { return [] }
    let given = arguments.prefix { $0 != "--" }
    let help = command.helpMessage(includeHidden: true, columns: 1_000).split(separator: "\n")
    return Setting.allCases.flatMap { setting -> [String] in
      guard let value = defaults[setting], !(setting.isFlag && value != "on"),
        !given.contains(where: { word in
          setting.spellings.contains { word == $0 || word.hasPrefix("\($0)=") }
        }), setting.variable.map({ environment[$0]?.isEmpty ?? true }) ?? true,
        help.contains(where: { Self.offers(setting, in: $0) })
      else { return [] }
      return setting.isFlag ? ["--\(setting.rawValue)"] : ["--\(setting.rawValue)=\(value)"]
    }
  }

  /// Whether a line of help is about an option: `  -q, --quiet  …`.
  private static func offers(_ setting: Setting, in line: Substring) -> Bool {
    guard line.hasPrefix("  ") else { return false }
    let words = line.split(separator: " ").prefix(2).map { $0.hasSuffix(",") ? $0.dropLast() : $0 }
    return words.contains { $0 == "--\(setting.rawValue)" || $0.hasPrefix("--\(setting.rawValue)/") }
  }
}
