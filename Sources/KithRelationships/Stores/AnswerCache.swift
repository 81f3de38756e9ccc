// SPDX-License-Identifier: Apache-2.0

package import KithClient

/// What can be fetched again, and is kept between runs: handles and documents, names, what was read to find people, and the
/// own records of accounts.
///
/// `KithStore` keeps it in the files of a folder. What of it cannot be opened is not used.
public struct AnswerCache: Sendable {
  /// Handles and documents.
  package var identities: (any IdentityStore)?
  /// Names of accounts.
  package var names: @Sendable () -> (any AccountNameStore)?
  /// Names of lists.
  package var lists: @Sendable () -> (any ListNameStore)?
  /// What was read to find people.
  package var discovery: @Sendable () -> (any DiscoveryStore)?
  /// The own records of accounts.
  package var records: any OwnRecordStore

  package init(
    identities: (any IdentityStore)? = nil,
    names: @escaping @Sendable () -> (any AccountNameStore)? = { nil },
    lists: @escaping @Sendable () -> (any ListNameStore)? = { nil },
    discovery: @escaping @Sendable () -> (any DiscoveryStore)? = { nil }, records: any OwnRecordStore
  ) {
    self.identities = identities
    self.names = names
    self.lists = lists
    self.discovery = discovery
    self.records = records
  }

  /// A cache that keeps own records as long as the process lives, and nothing else.
  public static func inMemory() -> AnswerCache { AnswerCache(records: InMemoryOwnRecordStore()) }
}
