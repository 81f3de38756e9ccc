// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships
public import KithWriting

extension Journal {
  /// Opens the journal in a folder, which is created if it is missing; only its owner can read it.
  ///
  /// It survives crashes, and any number of processes may share it, `kith` among them.
  /// - Parameters:
  ///   - kinds: the kinds of edges that jobs write, besides those that Kith knows. Jobs with others do not run.
  ///   - records: the collections of other records that jobs write, likewise.
  /// - Throws: ``StoreError``.
  public static func file(
    in folder: String, kinds: [EdgeKind] = [], records: Set<NSID> = []
  ) throws(StoreError) -> Journal {
    Journal(SQLiteJobStore(try StoreDatabase(folder: folder), kinds: kinds, records: records))
  }
}
