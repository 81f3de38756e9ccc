// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// Options that read accounts from files and lists.
struct MemberOptions: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "Read accounts from a file, one per line (- is stdin), or from a list or starter pack, by AT-URI or URL.",
      valueName: "file|list"),
    completion: .file())
  var places: [String] = []

  @Option(
    help: ArgumentHelp(
      "Read files and stdin as CSV with a header line, and use this column.", valueName: "name"),
    completion: .column)
  var column: String?

  @Flag(help: "Skip names that are not valid, with a warning, instead of failing.")
  var skipInvalid = false

  /// Whether a source is a list rather than a file.
  private static func isList(_ place: String) -> Bool {
    ["at://", "https://", "http://"].contains { place.hasPrefix($0) }
  }

  /// The sources that are lists.
  var lists: [String] { places.filter(Self.isList) }

  /// Whether any source is a file.
  var readsFiles: Bool { places.contains { !Self.isList($0) } }

  private var input: InputOptions {
    var input = InputOptions()
    input.files = places.filter { !Self.isList($0) }
    input.column = column
    return input
  }

  /// Validates arguments and options together.
  func validate(with names: some Collection<String>) throws { try input.validate(with: names) }

  /// The sources of accounts other than lists: arguments, then files.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func files(with names: [TargetStream.Origin]) throws(CommandFault) -> [TargetStream.Origin] {
    try input.origins(with: names)
  }

  /// The sources of accounts: arguments, then files, then lists.
  ///
  /// The account's own lists are read from its repository: complete and current.
  /// - Throws: ``CommandFault`` for a file that cannot be opened or a text that does not name a list.
  func origins(
    with names: some Collection<String>, _ wiring: Wiring, as account: AuthorizedAccount
  ) async throws -> [TargetStream.Origin] {
    var origins = try files(with: try await wiring.origins(naming: names))
    for place in lists {
      let list = try await wiring.list(named: place, of: account)
      if list.authority == .did(account.did) {
        var unreadable = UnreadableTally(.member)
        defer { unreadable.finish() }
        for try await row in RecordReader(of: account.did, client: account.pds).members(of: list) {
          switch row {
          case .success(let member): origins.append(.argument(member.account.description))
          case .failure(let record): unreadable.take(record)
          }
        }
      } else {
        origins.append(.listing(wiring.listings(by: account.appview).accounts(.members(of: list))))
      }
    }
    return origins
  }
}
