// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension CommandContext {
  /// The sources of the members of a list: arguments and files, then lists. The account's own lists are read from its
  /// repository: complete and current.
  ///
  /// - Throws: ``CommandFault`` for a file that cannot be opened or a text that does not name a list.
  func sources(
    _ members: MemberOptions, naming names: some Collection<String>, as account: AuthorizedAccount
  ) async throws -> [AccountSelection.Source] {
    var sources: [AccountSelection.Source] = []
    let named = try members.files(with: try await workspace.origins(naming: names))
    if !named.isEmpty { sources.append(.names(TargetStream(origins: named))) }
    for place in members.lists {
      let list = try await workspace.list(named: place, of: account)
      sources.append(
        list.authority == .did(account.did)
          ? .members(of: list, RecordReader(of: account.did, client: account.pds))
          : .listing(ListingQuery(.members(of: list))))
    }
    return sources
  }
}
