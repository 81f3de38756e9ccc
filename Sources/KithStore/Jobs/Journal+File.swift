// SPDX-License-Identifier: Apache-2.0

public import KithRelationships
public import KithWriting

extension Journal {
  /// Opens the journal in a folder, which is created if it is missing; only its owner can read it.
  ///
  /// It survives crashes, and any number of processes may share it, `kith` among them.
  /// - Parameter kinds: the kinds of edges that jobs write, besides those that Kith knows. Jobs with others do not run.
  /// - Throws: ``StoreError``.
  public static func file(in folder: String, kinds: [EdgeKind] = []) throws(StoreError) -> Journal {
    Journal(SQLiteJobStore(try StoreDatabase(folder: folder), kinds: kinds))
  }
}
