// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import ArgumentParser
import Relationships

/// Options that name actors by files, and by the lists that they are on.
struct MemberOptions: ParsableArguments {
  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "Take them from a file, one a line, - is stdin; or from a list or starter pack, by AT-URI or URL.",
      valueName: "file|list"),
    completion: .file())
  var places: [String] = []

  @Option(
    help: ArgumentHelp("Files and stdin are CSV with a header line; take this column.", valueName: "name"))
  var column: String?

  @Flag(help: "Skip names that are not valid, with a warning, instead of failing.")
  var skipInvalid = false

  /// Whether a place is a list, and not a file.
  private static func isList(_ place: String) -> Bool {
    ["at://", "https://", "http://"].contains { place.hasPrefix($0) }
  }

  /// The places that are lists.
  var lists: [String] { places.filter(Self.isList) }

  /// Whether one of the places is a file.
  var readsFiles: Bool { places.contains { !Self.isList($0) } }

  private var input: InputOptions {
    var input = InputOptions()
    input.files = places.filter { !Self.isList($0) }
    input.column = column
    return input
  }

  /// Checks what only arguments and options together show.
  func validate(with names: some Collection<String>) throws { try input.validate(with: names) }

  /// Where actors come from that no list names: the arguments, then the files.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened.
  func files(with names: [TargetStream.Origin]) throws(CommandFault) -> [TargetStream.Origin] {
    try input.origins(with: names)
  }

  /// Where actors come from: the arguments, then the files, then the lists.
  ///
  /// One's own list is read from one's own repository, whole and as it is now.
  /// - Throws: ``CommandFault`` for a file that cannot be opened or a text that names no list.
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
