// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Where the own records of accounts are kept, with the commit of the repository at which they were read.
///
/// What cannot be read or written is not kept: the records are read from their server again.
package protocol OwnRecordStore: Sendable {
  /// The collections that are kept, at whatever commit.
  func collections(of account: DID) async -> Set<NSID>

  /// The records of a collection at exactly this commit; nil if they are not kept.
  func collection(
    _ collection: NSID, of account: DID, at commit: RepositoryCommit, where filter: OwnRecordFilter
  ) async -> OwnCollection?

  /// Keeps whole collections, and drops those of other commits.
  ///
  /// - Returns: whether that succeeded.
  func keep(_ collections: [NSID: [KeptRecord]], of account: DID, at commit: RepositoryCommit) async -> Bool

  /// Applies the only changes between two commits to what is kept at the former one.
  func apply(
    _ changes: [OwnRecordChange], to account: DID, from former: RepositoryCommit, to commit: RepositoryCommit
  ) async

  /// Removes all records of an account.
  ///
  /// - Returns: whether that succeeded.
  func forget(_ account: DID) async -> Bool
}

/// A change of one own record in a commit.
package struct OwnRecordChange: Sendable, Hashable {
  /// The collection.
  package let collection: NSID
  /// The key.
  package let rkey: RecordKey
  /// The new value; nil if the record was deleted.
  package let value: DataValue?

  /// Creates a change.
  package init(_ collection: NSID, _ rkey: RecordKey, value: DataValue?) {
    self.collection = collection
    self.rkey = rkey
    self.value = value
  }

  /// The record as it is kept; nil if it was deleted.
  package var record: KeptRecord? { value.map { KeptRecord(rkey, $0, in: collection) } }
}

/// Keeps own records as long as the process runs.
package final class InMemoryOwnRecordStore: OwnRecordStore {
  private struct Kept: Sendable {
    var commit: RepositoryCommit
    var collections: [NSID: Collection] = [:]
  }

  private struct Collection: Sendable {
    private(set) var records: [RecordKey: KeptRecord] = [:]
    /// The keys of the records about a subject.
    private var keys: [String?: Set<RecordKey>] = [:]

    subscript(rkey: RecordKey) -> KeptRecord? {
      get { records[rkey] }
      set {
        if let former = records[rkey] { keys[former.subject]?.remove(rkey) }
        if let newValue { keys[newValue.subject, default: []].insert(rkey) }
        records[rkey] = newValue
      }
    }

    func passing(_ filter: OwnRecordFilter) -> OwnCollection {
      var found = OwnCollection()
      switch filter {
      case .all: found.records = Array(records.values)
      case .some(let subjects, let wanted):
        let some = subjects.reduce(into: wanted.union(keys[nil] ?? [])) { $0.formUnion(keys[$1] ?? []) }
        found.records = some.compactMap { records[$0] }
      }
      found.others = records.count - found.records.count
      return found
    }
  }

  private let kept = PosixMutex<[DID: Kept]>([:])

  /// Creates an empty store.
  package init() {}

  package func collections(of account: DID) async -> Set<NSID> {
    kept.withLock { kept in kept[account].map { Set($0.collections.keys) } ?? [] }
  }

  package func collection(
    _ collection: NSID, of account: DID, at commit: RepositoryCommit, where filter: OwnRecordFilter
  ) async -> OwnCollection? {
    kept.withLock { kept in
      guard let kept = kept[account], kept.commit == commit else { return nil }
      return kept.collections[collection]?.passing(filter)
    }
  }

  package func keep(
    _ collections: [NSID: [KeptRecord]], of account: DID, at commit: RepositoryCommit
  ) async -> Bool {
    kept.withLock { all in
      var kept = all.removeValue(forKey: account) ?? Kept(commit: commit)
      if kept.commit != commit { kept = Kept(commit: commit) }
      for (collection, records) in collections {
        var fresh = Collection()
        for record in records { fresh[record.rkey] = record }
        kept.collections[collection] = fresh
      }
      all[account] = kept
    }
    return true
  }

  package func apply(
    _ changes: [OwnRecordChange], to account: DID, from former: RepositoryCommit, to commit: RepositoryCommit
  ) async {
    kept.withLock { all in
      guard all[account]?.commit == former else { return }
      for change in changes { all[account]?.collections[change.collection]?[change.rkey] = change.record }
      all[account]?.commit = commit
    }
  }

  package func forget(_ account: DID) async -> Bool {
    kept.withLock { $0[account] = nil }
    return true
  }
}
