// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithRelationships

extension Kith {
  /// The options that the user's settings add to a command line.
  ///
  /// - Throws: ``CommandFault`` if the file cannot be read.
  static func settings(
    for arguments: ArraySlice<String>, in environment: [String: String]
  ) throws -> [String] {
    guard verb(of: arguments) != nil, let file = try? SettingsFile(in: environment) else { return [] }
    // What shows and mends the file works whatever the file says.
    if arguments.first == ConfigCommand._commandName { return [] }
    let settings = try file.read()
    if settings.entries.isEmpty { return [] }
    let (command, words) = command(of: arguments)
    let innermost = command.configuration.defaultSubcommand ?? command
    var names: Set<String> = []
    if settings.entries.contains(where: { $0.account != nil }) {
      names = account(of: words, settings, in: environment)
    }
    return settings.words(for: innermost, beside: words, in: environment, as: names)
  }

  /// The handle and the DID of the account that a command line is to act as, if they are known here.
  private static func account(
    of words: ArraySlice<String>, _ settings: Settings, in environment: [String: String]
  ) -> Set<String> {
    guard let folder = try? UserFolder.state.path(in: environment) else { return [] }
    let store = SessionFolder(path: folder + "/sessions")
    var named = settings.defaults(for: [])[.account]
    if let place = words.firstIndex(of: "--account"), place + 1 < words.endIndex { named = words[place + 1] }
    if let word = words.first(where: { $0.hasPrefix("--account=") }) { named = String(word.dropFirst(10)) }
    let name = named.flatMap { try? ActorInput(parsing: $0).identifier.description }
    if let named, name == nil { return [named] }
    var names: Set<String> = name.map { [$0] } ?? []
    let current = name == nil ? try? store.current() : nil
    for account in (try? store.accounts()) ?? [] {
      guard let session = try? store.session(of: account) else { continue }
      let own: Set = [account.description, session.handle.description]
      if account == current || !own.isDisjoint(with: names) { names.formUnion(own) }
    }
    return names
  }

  /// Parses the arguments with the defaults of the user's settings, if there are any.
  ///
  /// - Throws: ``CommandFault`` if a default makes the command line invalid.
  static func parse(
    _ arguments: ArraySlice<String>, withDefaults defaults: [String], for form: MessageForm
  ) throws -> any ParsableCommand {
    if defaults.isEmpty { return try parse(arguments, for: form) }
    let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
    do {
      return try parse(ArraySlice(arguments[..<end] + defaults + arguments[end...]), for: form)
    } catch {
      // What is wrong without them as well is the command line's own fault, and help needs none.
      _ = try parse(arguments, for: form)
      throw CommandFault(.usage, .settingsDoNotFit(defaults, fullMessage(for: error)))
    }
  }
}
