// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

extension MemberOptions {
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
