// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// The readable members of a list.
struct ListMembership: Sendable {
  private var members: Set<DID> = []
  /// Whether all members are known; otherwise it is unknown whether any other account is one.
  private var isComplete = false
  /// What failed.
  private(set) var fault: (any Error)?

  /// Reads the list from the AppView. If that does not show all members, the records of the owner are read.
  ///
  /// - Throws: ``RelationshipError`` `listNotFound`; `CancellationError`.
  init(of list: ATURI, by listings: Listings) async throws {
    var shown = listings.members(of: list).makeAsyncIterator()
    while let view = try await shown.next() { members.insert(view.account) }
    let coverage = shown.coverage
    isComplete = coverage.counted != nil && coverage.missing == 0 && coverage.unreadable == 0
    guard !isComplete, case .did(let owner) = list.authority, let repository = listings.repository else {
      fault = coverage.fault
      return
    }
    do {
      isComplete = true
      for try await member in RecordReader(of: owner, client: try await repository(owner)).members(of: list) {
        switch member {
        case .success(let view): members.insert(view.account)
        case .failure: isComplete = false
        }
      }
    } catch {
      if error is CancellationError { throw error }
      (isComplete, fault) = (false, error)
    }
  }

  /// Whether an account is on the list; nil if unknown.
  func contains(_ account: DID) -> Bool? {
    members.contains(account) ? true : isComplete ? false : nil
  }
}
